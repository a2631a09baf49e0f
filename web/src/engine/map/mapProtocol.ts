/**
 * Messages between the shell and the map's page, which runs a third party's script: they are parsed as texts and
 * numbers only.
 */

export interface MapPoint {
  longitude: number;
  latitude: number;
}

/** A place: the names of its regions, and the rest of its address. */
export interface MapPlace {
  name: string;
  address: string;
  province: string;
  city: string;
  district: string;
  point: MapPoint | null;
}

/** To the page: an address (or the code of a district), words to search by, a place to mark, a route, where the browser is, a measure. */
export type MapCommand =
  | { kind: 'show'; text: string; district: string }
  | { kind: 'search'; text: string; city: string }
  | ({ kind: 'mark' } & MapPoint)
  | { kind: 'route'; from: string; to: string }
  | { kind: 'locate'; longitude: number | null; latitude: number | null }
  | { kind: 'measure'; on: boolean };

const FAILURE_TEXTS = {
  load: '地图服务没有加载成功',
  search: '地图服务没有答复查找，请重试',
  place: '这里没有查到地址，请换一个点',
  address: '地图上没有找到这个地址，可以换一个说法查找',
  route: '没有查到路线，请核对两处的地址',
  locate: '没有定位到，请直接查找',
} as const;
export type MapFailure = keyof typeof FAILURE_TEXTS;

export type MapMessage =
  | { kind: 'ready' }
  | { kind: 'found'; text: string; places: MapPlace[] }
  | { kind: 'picked'; place: MapPlace }
  | { kind: 'routed'; metres: number; seconds: number }
  | { kind: 'failed'; what: MapFailure };

export function formatFailure(what: MapFailure): string {
  return FAILURE_TEXTS[what];
}

const MAX_PLACES = 20;
const MAX_TEXT_LENGTH = 200;

/** A message of the page's; null for what is none. */
export function parseMessage(data: unknown): MapMessage | null {
  if (!isRecord(data)) return null;
  switch (data.kind) {
    case 'ready':
      return { kind: 'ready' };
    case 'found': {
      if (typeof data.text !== 'string' || !Array.isArray(data.places)) return null;
      const places = data.places.slice(0, MAX_PLACES).map(parsePlace);
      return places.some((one) => one === null)
        ? null
        : { kind: 'found', text: data.text, places: places as MapPlace[] };
    }
    case 'picked': {
      const place = parsePlace(data.place);
      return place && { kind: 'picked', place };
    }
    case 'routed':
      return isDistance(data.metres) && isDistance(data.seconds)
        ? { kind: 'routed', metres: data.metres, seconds: data.seconds }
        : null;
    case 'failed':
      return typeof data.what === 'string' && Object.hasOwn(FAILURE_TEXTS, data.what)
        ? { kind: 'failed', what: data.what as MapFailure }
        : null;
    default:
      return null;
  }
}

const PLACE_TEXT_FIELDS = ['name', 'address', 'province', 'city', 'district'] as const;

function parsePlace(data: unknown): MapPlace | null {
  if (!isRecord(data) || !PLACE_TEXT_FIELDS.every((name) => typeof data[name] === 'string')) return null;
  const words = Object.fromEntries(
    PLACE_TEXT_FIELDS.map((name) => [name, (data[name] as string).trim().slice(0, MAX_TEXT_LENGTH)]),
  );
  const { longitude, latitude } = data;
  const isPoint = isCoordinate(longitude, 180) && isCoordinate(latitude, 90);
  return { ...(words as Omit<MapPlace, 'point'>), point: isPoint ? { longitude, latitude } : null };
}

function isRecord(data: unknown): data is Record<string, unknown> {
  return typeof data === 'object' && data !== null;
}

function isCoordinate(value: unknown, most: number): value is number {
  return typeof value === 'number' && Math.abs(value) <= most;
}

function isDistance(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
