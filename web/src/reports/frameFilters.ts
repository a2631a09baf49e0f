/** Filters that a reader has set in a frame: carried over to its replacement, and passed to an export. */
import type { FrameFilter } from '@/gen';

/** Superset's data mask: what each native filter is set to, by filter id. */
export type DataMask = Record<string, { id?: string; filterState?: Record<string, unknown>; extraFormData?: unknown }>;

/** Filter values of a report by its own filter names; null is an empty value. */
export type FilterValues = Record<string, (string | null)[]>;

const NATIVE_FILTER_PREFIX = 'NATIVE_FILTER';

/** The address with the filters in front of what it has: its end, the role, stays its end. */
export function addFilters(address: string, mask: DataMask): string {
  const set = Object.entries(mask).filter(
    ([id, filter]) => id.startsWith(NATIVE_FILTER_PREFIX) && hasValue(filter.filterState?.value),
  );
  if (set.length === 0) return address;
  const filters = Object.fromEntries(
    set.map(([id, { filterState, extraFormData }]) => [id, { id, extraFormData, filterState, ownState: {} }]),
  );
  const [path = '', query = ''] = address.split('?');
  const first = `native_filters=${encodeURIComponent(encodeRison(filters))}`;
  return `${path}?${[first, query].filter(Boolean).join('&')}`;
}

/** The values that a frame is filtered by, by the report's own names of its filters. */
export function readFilterValues(mask: DataMask, filters: FrameFilter[]): FilterValues {
  return Object.fromEntries(
    filters.flatMap(({ key, id }) => {
      const value = mask[id]?.filterState?.value;
      if (!hasValue(value)) return [];
      const values: unknown[] = Array.isArray(value) ? value : [value];
      return [[key, values.map((one) => (one === null ? null : String(one)))]];
    }),
  );
}

/** The mask that sets a frame's filters to values; names that the report no longer has are left out. */
export function buildMask(values: FilterValues, filters: FrameFilter[]): DataMask {
  return Object.fromEntries(
    filters.flatMap(({ key, id, column, ranged }) => {
      const value = values[key];
      if (value === undefined || value.length === 0) return [];
      return [[id, { id, ...(ranged ? buildRangeMask(value) : buildChoiceMask(column, value)) }]];
    }),
  );
}

function buildChoiceMask(column: string, value: FilterValues[string]): DataMask[string] {
  const label = value.map((one) => one ?? '（空）').join('、');
  return { filterState: { value, label }, extraFormData: { filters: [{ col: column, op: 'IN', val: value }] } };
}

/** Days are told in words of their own, so that this month stays this month. */
function buildRangeMask([words]: FilterValues[string]): DataMask[string] {
  return { filterState: { value: words }, extraFormData: { time_range: words } };
}

function hasValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== '';
}

/** Rison, the notation in which Superset reads filters from an address. */
export function encodeRison(value: unknown): string {
  if (value === null || value === undefined) return '!n';
  if (typeof value === 'boolean') return value ? '!t' : '!f';
  if (typeof value === 'number') return String(value).replace('+', '');
  if (typeof value === 'string') return `'${value.replace(/[!']/g, '!$&')}'`;
  if (Array.isArray(value)) return `!(${value.map(encodeRison).join(',')})`;
  const pairs = Object.entries(value).filter(([, item]) => item !== undefined);
  return `(${pairs.map(([key, item]) => `${encodeRison(key)}:${encodeRison(item)}`).join(',')})`;
}
