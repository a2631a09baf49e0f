/** Provinces as the map names them: 内蒙古 where the list of provinces says 内蒙古自治区. */
const regions = [
  ...['北京', '天津', '河北', '山西', '内蒙古', '辽宁', '吉林', '黑龙江', '上海', '江苏', '浙江', '安徽', '福建', '江西', '山东'],
  ...['河南', '湖北', '湖南', '广东', '广西', '海南', '重庆', '四川', '贵州', '云南', '西藏', '陕西', '甘肃', '青海', '宁夏', '新疆'],
  ...['台湾', '香港', '澳门'],
];

/** The map's name of a province; null for what isn't one, say 未指定. */
export function regionOf(province: string): string | null {
  return regions.find((region) => province.startsWith(region)) ?? null;
}

/** Degrees from west to east and from south to north: the whole map's, and the room left around provinces. */
const whole = [62, 36] as const;
const around = [14, 10] as const;
const closest = 2.5;
/** For less than this the rest of the map is not worth leaving. */
const nearest = 1.2;
/** They reach far beyond where their name stands. */
const wide = new Set(['内蒙古', '黑龙江', '西藏', '甘肃', '青海', '新疆']);

interface Outline {
  properties: { name: string; cp: number[] };
}

/** How near the map is looked at, and where: so that the names of these neighbours stand side by side. */
export function viewOf(outlines: readonly Outline[]): { center: number[]; zoom: number } | null {
  if (outlines.length === 0 || outlines.some(({ properties }) => wide.has(properties.name))) return null;
  const ranges = [0, 1].map((axis) => {
    const along = outlines.map(({ properties }) => properties.cp[axis]!);
    return [Math.min(...along), Math.max(...along)] as const;
  });
  const zooms = ranges.map(([from, to], axis) => whole[axis]! / (to - from + around[axis]!));
  const zoom = Math.min(closest, ...zooms);
  return zoom > nearest ? { center: ranges.map(([from, to]) => (from + to) / 2), zoom } : null;
}
