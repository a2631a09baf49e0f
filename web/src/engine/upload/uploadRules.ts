/** An uploaded file. Upload rules are checked before sending (spec/3-rules.md 5.5, 5.6), and again by the server. */

export interface UploadItem {
  url: string;
  name: string;
}

/** Kinds of files that share a limit. */
export interface FileGroup {
  types: readonly string[];
  megabytes?: number;
  limit?: number;
  tooLarge?: string;
  tooMany?: string;
}

export interface UploadRules {
  scene: 'image' | 'contract' | 'logo';
  groups: readonly FileGroup[];
  /** Limit of all kinds together. */
  limit?: number;
  wrongType?: string;
  hint?: string;
  failed: string;
}

export const IMAGES = ['jpg', 'jpeg', 'png', 'bmp'] as const;
const MEGABYTE = 1024 * 1024;

interface GenericOptions {
  types?: readonly string[];
  /** Megabytes: of every file, or by kinds. */
  megabytes?: number | readonly SizeLimit[];
  limit?: number;
}

interface SizeLimit {
  types: readonly string[];
  megabytes: number;
}

/** 5.5: all limits are optional. */
export function genericRules({ types = [...IMAGES, 'pdf'], megabytes, limit }: GenericOptions = {}): UploadRules {
  const by = (type: string) => {
    if (typeof megabytes !== 'object') return megabytes;
    return megabytes.find((limit) => limit.types.some((one) => isSameType(one, type)))?.megabytes;
  };
  return {
    scene: 'image',
    groups: types.map((type) => ({ types: [type], megabytes: by(type) })),
    limit,
    failed: '上传失败,请稍后再试',
  };
}

/** 5.6: what may be attached to a contract. */
export const contractRules: UploadRules = {
  scene: 'contract',
  groups: [
    { types: IMAGES, megabytes: 2, limit: 6, tooLarge: '图片大小不能超过2MB', tooMany: '图片最多上传6张' },
    { types: ['pdf'], megabytes: 10, limit: 3, tooLarge: 'pdf文件大小不能超过10MB', tooMany: 'pdf文件最多上传3个' },
  ],
  wrongType: '只能上传pdf和图片',
  hint: '建议上传扫描件：图片支持jpg、jpeg、png、bmp，每张不超过2MB，最多6张；pdf每个不超过10MB，最多3个',
  failed: '上传失败，请稍后再试',
};

/** Rules of the logo on printed bills: one picture. */
const logoRules: UploadRules = {
  ...genericRules({ types: ['jpg', 'jpeg', 'png'], megabytes: 1, limit: 1 }),
  scene: 'logo',
};

const SCENE_RULES: Record<string, UploadRules> = { contract: contractRules, logo: logoRules };

export function rulesForScene(scene: string | null | undefined): UploadRules {
  return SCENE_RULES[scene ?? ''] ?? genericRules({ megabytes: 10 });
}

function isSameType(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

export function extensionOf(name: string): string {
  return name.includes('.') ? name.slice(name.lastIndexOf('.') + 1).toLowerCase() : '';
}

export function isImage(name: string): boolean {
  return IMAGES.some((type) => type === extensionOf(name));
}

function findGroup(rules: UploadRules, name: string): FileGroup | undefined {
  return rules.groups.find((group) => group.types.some((type) => isSameType(type, extensionOf(name))));
}

/** Describe why a file is refused, given those already present; null if it is accepted. */
export function describeRefusal(
  rules: UploadRules,
  file: { name: string; size: number },
  present: readonly UploadItem[],
): string | null {
  const group = findGroup(rules, file.name);
  if (!group) return rules.wrongType ?? `请上传${rules.groups.flatMap(({ types }) => types).join('、')}格式的文件`;
  if (group.megabytes !== undefined && file.size > group.megabytes * MEGABYTE) {
    return group.tooLarge ?? `${extensionOf(file.name)}文件请上传${group.megabytes}兆内`;
  }
  if (rules.limit !== undefined && present.length >= rules.limit) return `只能上传${rules.limit}个文件`;
  const alike = present.filter((item) => findGroup(rules, item.name) === group).length;
  if (group.limit !== undefined && alike >= group.limit) return group.tooMany ?? `只能上传${group.limit}个文件`;
  return null;
}
