/** The login kept in localStorage under the names of spec/1-shell.md 3, so that every browser tab shares it. */

export interface Session {
  token: string;
  sign_key: string;
  expires_at: string;
  user_id: number;
  user_name: string;
  realname: string;
  role_id: number;
  role_name: string;
  company_id: number;
  company_name: string;
  department_name: string;
  company_admin_id: number | null;
  /** The group's short name, which the header bears. */
  titName: string | null;
  /** The district of the company. */
  area_name: string | null;
  /** 数据范围 in words, where it is not just all of the own company. */
  scope: string;
  /** The administrator who acts for the user by impersonation. */
  imitator: string | null;
  /** Somebody else has set his password: first of all he sets his own. */
  must_change_password: boolean;
  system: CurrentSystem;
}

/** 当前系统: type 0 ERP back office, 1 service station; operatingVersion 1 standard, 2 simple. */
export interface CurrentSystem {
  type: number;
  operatingVersion: number;
  extendToolbar: string;
}

const SESSION_KEYS = [
  'token',
  'sign_key',
  'expires_at',
  'user_id',
  'user_name',
  'realname',
  'role_id',
  'role_name',
  'company_id',
  'company_name',
  'department_name',
  'company_admin_id',
  'titName',
  'area_name',
  'scope',
  'imitator',
  'must_change_password',
] as const;
/** Title of the header if the group has no short name. */
export const PRODUCT_NAME = '汽配轮胎供应链平台';
const SYSTEM_KEY = 'currentSystem';
const DEFAULT_SYSTEM: CurrentSystem = { type: 0, operatingVersion: 1, extendToolbar: '默认' };
/** Derived from the session elsewhere in the shell; they must not outlive it. */
const CLEARED_WITH_SESSION = [
  'is_broadcast',
  'startMenu',
  'companyServeCacheGet',
  'FDBName_business',
  'Documents_operation',
  'hasAuditorStatusPrint',
  SYSTEM_KEY,
];

export function setSession(session: Session | null): void {
  for (const key of SESSION_KEYS) {
    const value = session && (key === 'titName' ? (session.titName ?? PRODUCT_NAME) : session[key]);
    if (value === undefined || value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, String(value));
  }
  if (session) localStorage.setItem(SYSTEM_KEY, JSON.stringify(session.system));
  else for (const key of CLEARED_WITH_SESSION) localStorage.removeItem(key);
}

export function getSession(): Session | null {
  const read = (key: string): string => localStorage.getItem(key) ?? '';
  const token = read('token');
  if (!token) return null;
  return {
    token,
    sign_key: read('sign_key'),
    expires_at: read('expires_at'),
    user_id: Number(read('user_id')),
    user_name: read('user_name'),
    realname: read('realname'),
    role_id: Number(read('role_id')),
    role_name: read('role_name'),
    company_id: Number(read('company_id')),
    company_name: read('company_name'),
    department_name: read('department_name'),
    company_admin_id: read('company_admin_id') === '' ? null : Number(read('company_admin_id')),
    titName: read('titName') || null,
    area_name: read('area_name') || null,
    scope: read('scope'),
    imitator: read('imitator') || null,
    must_change_password: read('must_change_password') === 'true',
    system: readSystem(),
  };
}

function readSystem(): Session['system'] {
  try {
    const stored = JSON.parse(localStorage.getItem(SYSTEM_KEY) ?? '{}') as Partial<Session['system']>;
    return { ...DEFAULT_SYSTEM, ...stored };
  } catch {
    return DEFAULT_SYSTEM;
  }
}

const STATION_TYPE = 1;

export function isStation({ type }: CurrentSystem): boolean {
  return type === STATION_TYPE;
}

/** Another operating version for the session that is open. */
export function setOperatingVersion(operatingVersion: number): void {
  localStorage.setItem(SYSTEM_KEY, JSON.stringify({ ...readSystem(), operatingVersion }));
}

/** Prefix for what belongs to one user in this browser: columns, remembered queries, drafts. */
export function userKey(name: string): string {
  return `u${localStorage.getItem('user_id') ?? '0'}:${name}`;
}
