/** What the shell and the map's page say to each other. The page runs a stranger's script: what it says is read as words and numbers, no more. */

export interface Point {
  longitude: number;
  latitude: number;
}

/** Where something lies: names of its regions, and what of its address is below them. */
export interface Place {
  name: string;
  address: string;
  province: string;
  city: string;
  district: string;
  point: Point | null;
}

/** To the page: an address (or the code of a district), words to search by, a place to mark, a route, where the browser is, a measure. */
export type ToMap =
  | { kind: 'show'; text: string; district: string }
  | { kind: 'search'; text: string; city: string }
  | ({ kind: 'mark' } & Point)
  | { kind: 'route'; from: string; to: string }
  | { kind: 'locate'; longitude: number | null; latitude: number | null }
  | { kind: 'measure'; on: boolean };

const FAILURES = {
  load: '地图服务没有加载成功',
  search: '地图服务没有答复查找，请重试',
  place: '这里没有查到地址，请换一个点',
  address: '地图上没有找到这个地址，可以换一个说法查找',
  route: '没有查到路线，请核对两处的地址',
  locate: '没有定位到，请直接查找',
} as const;
export type Failed = keyof typeof FAILURES;

export type FromMap =
  | { kind: 'ready' }
  | { kind: 'found'; text: string; places: Place[] }
  | { kind: 'picked'; place: Place }
  | { kind: 'routed'; metres: number; seconds: number }
  | { kind: 'failed'; what: Failed };

export function failureText(what: Failed): string {
  return FAILURES[what];
}

const MOST_PLACES = 20;
const LONGEST = 200;

/** A message of the page's; null for what is none. */
export function readMessage(data: unknown): FromMap | null {
  if (!isRecord(data)) return null;
  switch (data.kind) {
    case 'ready':
      return { kind: 'ready' };
    case 'found': {
      if (typeof data.text !== 'string' || !Array.isArray(data.places)) return null;
      const places = data.places.slice(0, MOST_PLACES).map(placeOf);
      return places.some((one) => one === null) ? null : { kind: 'found', text: data.text, places: places as Place[] };
    }
    case 'picked': {
      const place = placeOf(data.place);
      return place && { kind: 'picked', place };
    }
    case 'routed':
      return isLength(data.metres) && isLength(data.seconds) ? { kind: 'routed', metres: data.metres, seconds: data.seconds } : null;
    case 'failed':
      return typeof data.what === 'string' && Object.hasOwn(FAILURES, data.what) ? { kind: 'failed', what: data.what as Failed } : null;
    default:
      return null;
  }
}

const WORDS = ['name', 'address', 'province', 'city', 'district'] as const;

function placeOf(data: unknown): Place | null {
  if (!isRecord(data) || !WORDS.every((name) => typeof data[name] === 'string')) return null;
  const words = Object.fromEntries(WORDS.map((name) => [name, (data[name] as string).trim().slice(0, LONGEST)]));
  const { longitude, latitude } = data;
  const isPoint = isWithin(longitude, 180) && isWithin(latitude, 90);
  return { ...(words as Omit<Place, 'point'>), point: isPoint ? { longitude, latitude } : null };
}

function isRecord(data: unknown): data is Record<string, unknown> {
  return typeof data === 'object' && data !== null;
}

function isWithin(value: unknown, most: number): value is number {
  return typeof value === 'number' && Math.abs(value) <= most;
}

function isLength(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
