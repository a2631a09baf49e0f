/** What a report's address says of its tab and filters: F5 and a copied address open it as it stands. */
import type { FrameFilter } from '@/gen';
import type { FilterValues } from './frameFilters';
import type { FrameValues } from './frameQuery';

const TAB = 'report_tab';
const FILTERS = 'filters';
/** The name under which its reader keeps the filters. */
const SCHEME = 'scheme';

export interface Standing {
  tab: string | null;
  /** Null where the address says nothing of them. */
  filters: FilterValues | null;
}

/** An address's parameters: what the report opens on, and how it stood. */
export function readAddress(params: FrameValues): { values: FrameValues; standing: Standing; scheme?: string } {
  const { [TAB]: tab = null, [FILTERS]: filters, [SCHEME]: scheme, ...values } = params;
  return { values, scheme, standing: { tab, filters: filters === undefined ? null : readFilters(filters) } };
}

function readFilters(text: string): FilterValues | null {
  try {
    const found: unknown = JSON.parse(text);
    if (typeof found !== 'object' || found === null) return null;
    return Object.fromEntries(Object.entries(found).filter(([, value]) => isChoice(value))) as FilterValues;
  } catch {
    return null;
  }
}

function isChoice(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => one === null || typeof one === 'string');
}

/** The search of an address under which a report opens as it stands; `filters` is null where it opens so by itself. */
export function searchOf(values: FrameValues, tab: string | null, filters: FilterValues | null): string {
  const said = new URLSearchParams(values);
  if (tab !== null) said.set(TAB, tab);
  if (filters !== null) said.set(FILTERS, JSON.stringify(filters));
  const search = said.toString();
  return search === '' ? '' : `?${search}`;
}

/** Those filters that are not as they open: what is empty and opens on something is said as well. */
export function changedFilters(now: FilterValues, opening: FilterValues): FilterValues {
  const keys = [...new Set([...Object.keys(opening), ...Object.keys(now)])].sort();
  const changed = keys.filter((key) => !isSame(now[key], opening[key]));
  return Object.fromEntries(changed.map((key) => [key, now[key] ?? []]));
}

export function isSame(one: FilterValues[string] | undefined, other: FilterValues[string] | undefined): boolean {
  return JSON.stringify([...(one ?? [])].sort()) === JSON.stringify([...(other ?? [])].sort());
}

/** A tab's filters with those of another tab that mean the same there: of one key and name, on one column (weeks and months stand in one). */
export function carried(values: FilterValues, from: FrameFilter[], to: FrameFilter[], present: FilterValues): FilterValues {
  const alike = to.filter(({ key, column, label, ranged }) =>
    from.some((one) => one.key === key && one.column === column && one.label === label && one.ranged === ranged),
  );
  const told = alike.filter(({ key, latest }) => values[key] !== undefined || !latest);
  return { ...present, ...Object.fromEntries(told.map(({ key }) => [key, values[key] ?? []])) };
}
