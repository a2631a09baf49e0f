/** Tab and filters in a report's address: F5 and a copied address open it with them. */
import type { FrameFilter } from '@/gen';
import type { FilterValues } from './frameFilters';
import type { FrameValues } from './frameQuery';

const TAB_PARAM = 'report_tab';
const FILTERS_PARAM = 'filters';
/** The name under which its reader keeps the filters. */
const SCHEME_PARAM = 'scheme';

export interface AddressState {
  tab: string | null;
  /** Null where the address says nothing of them. */
  filters: FilterValues | null;
}

/** An address's parameters: what the report opens on, and how it stood. */
export function parseAddress(params: FrameValues): { values: FrameValues; standing: AddressState; scheme?: string } {
  const { [TAB_PARAM]: tab = null, [FILTERS_PARAM]: filters, [SCHEME_PARAM]: scheme, ...values } = params;
  return { values, scheme, standing: { tab, filters: filters === undefined ? null : parseFilters(filters) } };
}

function parseFilters(text: string): FilterValues | null {
  try {
    const found: unknown = JSON.parse(text);
    if (typeof found !== 'object' || found === null) return null;
    return Object.fromEntries(Object.entries(found).filter(([, value]) => isFilterChoice(value))) as FilterValues;
  } catch {
    return null;
  }
}

function isFilterChoice(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => one === null || typeof one === 'string');
}

/** The search of an address under which a report opens as it stands; `filters` is null where it opens so by itself. */
export function buildSearch(values: FrameValues, tab: string | null, filters: FilterValues | null): string {
  const params = new URLSearchParams(values);
  if (tab !== null) params.set(TAB_PARAM, tab);
  if (filters !== null) params.set(FILTERS_PARAM, JSON.stringify(filters));
  const search = params.toString();
  return search === '' ? '' : `?${search}`;
}

/** Those filters that are not as they open: what is empty and opens on something is said as well. */
export function diffFilters(now: FilterValues, opening: FilterValues): FilterValues {
  const keys = [...new Set([...Object.keys(opening), ...Object.keys(now)])].sort();
  const changed = keys.filter((key) => !isSameChoice(now[key], opening[key]));
  return Object.fromEntries(changed.map((key) => [key, now[key] ?? []]));
}

export function isSameChoice(one: FilterValues[string] | undefined, other: FilterValues[string] | undefined): boolean {
  return JSON.stringify([...(one ?? [])].sort()) === JSON.stringify([...(other ?? [])].sort());
}

/** A tab's filters with those of another tab that mean the same there: of one key and name, on one column (weeks and months stand in one). */
export function carryFilters(
  values: FilterValues,
  from: FrameFilter[],
  to: FrameFilter[],
  present: FilterValues,
): FilterValues {
  const alike = to.filter(({ key, column, label, ranged }) =>
    from.some((one) => one.key === key && one.column === column && one.label === label && one.ranged === ranged),
  );
  const carriedFilters = alike.filter(({ key, latest }) => values[key] !== undefined || !latest);
  return { ...present, ...Object.fromEntries(carriedFilters.map(({ key }) => [key, values[key] ?? []])) };
}
