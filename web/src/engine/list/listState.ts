import { useCallback, useState } from 'react';
import type { Query } from '../../lib/api';
import { readSlot, writeSlot } from '../../lib/localStorageSlot';
import { isRef, searchFields, type Field, type Row, type Screen } from '../types';
import { prioritizeFigures } from './prioritizeFigures';
import { readDefaultScheme, fitScheme } from './schemes';

/** Query state of a list: the user's filters, page and order. */
export interface ListState {
  keyword: string;
  /** Query parameter → value; reference labels are kept beside under `<name>__label`. */
  filters: Record<string, string>;
  page: number;
  perPage: number;
  orderKey: string;
  orderBy: 'asc' | 'desc';
}

export const PAGE_SIZES = [10, 30, 50, 100, 500];
const DEFAULT_PAGE_SIZE = 30;
const LABEL_SUFFIX = '__label';

export function labelKey(name: string): string {
  return `${name}${LABEL_SUFFIX}`;
}

/** Join the names of several selected records into one text; one name stays as it is. */
export function joinNames(names: string[]): string {
  return names.length > 1 ? JSON.stringify(names) : (names[0] ?? '');
}

/** The names of `count` records in such a text; none where it doesn't tell each of them. */
export function splitNames(text: string | undefined, count: number): string[] {
  if (!text) return [];
  if (count <= 1) return [text];
  try {
    const names: unknown = JSON.parse(text);
    return Array.isArray(names) && names.length === count ? names.map(String) : [];
  } catch {
    return [];
  }
}

const RANGE_TYPES = new Set(['date', 'datetime', 'integer', 'quantity', 'money', 'price', 'rate']);

export function isRangeField(field: Field): boolean {
  return RANGE_TYPES.has(field.type);
}

/** The query sent for a state; empty and label entries are left out. */
export function buildListQuery(state: ListState): Query {
  const filters = Object.entries(state.filters).filter(([name, value]) => value !== '' && !name.endsWith(LABEL_SUFFIX));
  return {
    page: state.page,
    per_page: state.perPage,
    order_key: state.orderKey,
    order_by: state.orderBy,
    keyword: state.keyword.trim(),
    ...Object.fromEntries(filters),
  };
}

/** The columns of a list in a state: what a report isn't summed up by would stand empty. */
export function visibleListFields(screen: Screen, state: ListState): Field[] {
  const { leading = [] } = screen;
  const place = new Map(leading.map((name, at) => [name, at - leading.length]));
  const columns = screen.fields.filter((field) => field.list);
  const listed = columns.sort((a, b) => (place.get(a.name) ?? 0) - (place.get(b.name) ?? 0));
  if (!screen.groups) return prioritizeFigures(listed);
  const { by, columns: grouped } = screen.groups;
  const chosen = (state.filters[by] ?? '').split(',').flatMap((value) => grouped[value] ?? []);
  const empty = new Set(
    Object.values(grouped)
      .flat()
      .filter((name) => !chosen.includes(name)),
  );
  return chosen.length > 0 ? listed.filter((field) => !empty.has(field.name)) : listed;
}

type StoredListState = Partial<ListState> & Pick<Screen, 'usual'>;

export function initialListState(
  screen: Screen,
  remembered: StoredListState | null,
  params: Record<string, string>,
): ListState {
  const searchable = new Set(searchFields(screen).flatMap(filterNames));
  // A selector treats 0 as nothing chosen (spec/1-shell.md 5).
  const refs = new Set(
    searchFields(screen)
      .filter(isRef)
      .map((field) => field.name),
  );
  const given = Object.entries(params).filter(
    ([name, value]) => searchable.has(name) && !(value === '0' && refs.has(name)),
  );
  // A link with filters of its own (a figure that leads here) must not be narrowed by an older query.
  const linked = given.length > 0;
  const { perPage, orderKey, keyword, filters, orderBy } = remembered ?? {};
  return {
    keyword: linked ? '' : (keyword ?? ''),
    filters: linked
      ? { ...pickSummaryFilters(screen), ...Object.fromEntries(given) }
      : renewUsualFilters(pickFilters(filters ?? {}, searchable), remembered?.usual, screen.usual),
    page: linked ? 1 : (remembered?.page ?? 1),
    perPage: PAGE_SIZES.includes(perPage ?? 0) ? perPage! : DEFAULT_PAGE_SIZE,
    orderKey:
      orderKey && screen.fields.some((field) => field.name === orderKey && !field.masked) ? orderKey : screen.order.key,
    orderBy: orderBy ?? screen.order.by,
  };
}

/**
 * Return the filters of grouping and end date, which don't limit the list: a link without them keeps the usual ones.
 */
function pickSummaryFilters({ fields, groups, usual = {} }: Screen): Record<string, string> {
  const until = fields.filter(({ span }) => span === 'until').flatMap(filterNames);
  return pickFilters(usual, new Set(groups ? [groups.by, ...until] : until));
}

function pickFilters(filters: Record<string, string>, allowed: Set<string>): Record<string, string> {
  return Object.fromEntries(Object.entries(filters).filter(([name]) => allowed.has(name)));
}

/** Replace filters that the user left at a default by the present default: this month becomes the next one. */
function renewUsualFilters(
  filters: Record<string, string>,
  before: Screen['usual'],
  now: Screen['usual'],
): Record<string, string> {
  const untouched = Object.entries(now ?? {}).filter(([name]) => filters[name] === before?.[name]);
  return { ...filters, ...Object.fromEntries(untouched) };
}

function filterNames(field: Field): string[] {
  if (field.span === 'until') return [`${field.name}_end`];
  return isRangeField(field) ? [`${field.name}_start`, `${field.name}_end`] : [field.name, labelKey(field.name)];
}

const querySlot = (screen: Screen) => `query:${screen.name}`;

/** Return the state that a list opens with: the link's filters, the user's last state, or the default. */
export function loadOpeningState(screen: Screen, params: Record<string, string>): ListState {
  return initialListState(screen, recallListState(querySlot(screen)) ?? loadDefaultScheme(screen), params);
}

/** The list's state, remembered per screen and user, so that a refresh keeps the query. */
export function useListState(screen: Screen, params: Record<string, string>) {
  const slot = querySlot(screen);
  const [state, setState] = useState(() => loadOpeningState(screen, params));
  const [usual, setUsual] = useState(screen.usual);
  if (JSON.stringify(usual) !== JSON.stringify(screen.usual)) {
    // It is another day by now.
    setUsual(screen.usual);
    setState((before) => ({ ...before, filters: renewUsualFilters(before.filters, usual, screen.usual) }));
  }
  const change = useCallback(
    (changes: Partial<ListState>) => {
      setState((before) => {
        const keepsPage = 'page' in changes;
        const next = { ...before, ...changes, page: keepsPage ? (changes.page ?? 1) : 1 };
        storeListState(slot, next, screen.usual);
        return next;
      });
    },
    [slot, screen.usual],
  );
  return [state, change] as const;
}

/** The query outlives the browser's session, the page within it does not. */
function storeListState(slot: string, state: ListState, usual: Screen['usual']): void {
  writeSlot(slot, { ...state, page: undefined, usual });
  sessionStorage.setItem(slot, String(state.page));
}

/** Load the default scheme, for a list that was not yet opened in this browser session. */
function loadDefaultScheme(screen: Screen): StoredListState | null {
  const scheme = readDefaultScheme(screen.name);
  return scheme && { ...fitScheme(screen, scheme), usual: screen.usual };
}

function recallListState(slot: string): StoredListState | null {
  const fresh = sessionStorage.getItem(slot) === null;
  if (fresh && readDefaultScheme(slot.replace(/^query:/, ''))) return null;
  const stored = readSlot<StoredListState>(slot);
  return stored && { ...stored, page: Number(sessionStorage.getItem(slot) ?? '1') };
}

/** The list a record was opened from, so that its page can lead to the previous and next one. */
export interface NeighbourList {
  query: Query;
  ids: number[];
}

export function rememberNeighbours(screen: Screen, query: Query, rows: Row[]): void {
  const value: NeighbourList = { query, ids: rows.map((row) => Number(row[screen.key])) };
  sessionStorage.setItem(`neighbours:${screen.name}`, JSON.stringify(value));
}

export function recallNeighbours(screen: Screen): NeighbourList | null {
  const text = sessionStorage.getItem(`neighbours:${screen.name}`);
  return text === null ? null : (JSON.parse(text) as NeighbourList);
}
