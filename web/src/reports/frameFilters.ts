/** The filters a reader has set in a frame: carried over to the frame that replaces it, and told to an export. */
import type { FrameFilter } from '@/gen';

/** Superset's data mask: what each native filter is set to, by filter id. */
export type DataMask = Record<string, { id?: string; filterState?: Record<string, unknown>; extraFormData?: unknown }>;

/** What a report is filtered by, by its own names of its filters; null is what is empty. */
export type FilterValues = Record<string, (string | null)[]>;

const NATIVE = 'NATIVE_FILTER';

/** The address with the filters in front of what it has: its end, the role, stays its end. */
export function withFilters(address: string, mask: DataMask): string {
  const set = Object.entries(mask).filter(([id, filter]) => id.startsWith(NATIVE) && hasValue(filter.filterState?.value));
  if (set.length === 0) return address;
  const filters = Object.fromEntries(
    set.map(([id, { filterState, extraFormData }]) => [id, { id, extraFormData, filterState, ownState: {} }]),
  );
  const [path = '', query = ''] = address.split('?');
  const first = `native_filters=${encodeURIComponent(rison(filters))}`;
  return `${path}?${[first, query].filter(Boolean).join('&')}`;
}

/** The values that a frame is filtered by, by the report's own names of its filters. */
export function chosenValues(mask: DataMask, filters: FrameFilter[]): FilterValues {
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
export function maskOf(values: FilterValues, filters: FrameFilter[]): DataMask {
  return Object.fromEntries(
    filters.flatMap(({ key, id, column, ranged }) => {
      const value = values[key];
      if (value === undefined || value.length === 0) return [];
      return [[id, { id, ...(ranged ? rangeOf(value) : choiceOf(column, value)) }]];
    }),
  );
}

function choiceOf(column: string, value: FilterValues[string]): DataMask[string] {
  const label = value.map((one) => one ?? '（空）').join('、');
  return { filterState: { value, label }, extraFormData: { filters: [{ col: column, op: 'IN', val: value }] } };
}

/** Days are told in words of their own, so that this month stays this month. */
function rangeOf([words]: FilterValues[string]): DataMask[string] {
  return { filterState: { value: words }, extraFormData: { time_range: words } };
}

function hasValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== '';
}

/** Rison, the notation in which Superset reads filters from an address. */
export function rison(value: unknown): string {
  if (value === null || value === undefined) return '!n';
  if (typeof value === 'boolean') return value ? '!t' : '!f';
  if (typeof value === 'number') return String(value).replace('+', '');
  if (typeof value === 'string') return `'${value.replace(/[!']/g, '!$&')}'`;
  if (Array.isArray(value)) return `!(${value.map(rison).join(',')})`;
  const pairs = Object.entries(value).filter(([, item]) => item !== undefined);
  return `(${pairs.map(([key, item]) => `${rison(key)}:${rison(item)}`).join(',')})`;
}
