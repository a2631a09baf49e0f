import { useCallback, useState } from 'react';
import type { Query } from '../../lib/api';
import { readStored, writeStored } from '../../lib/stored';
import { isRef, searchFields, type Field, type Row, type Screen } from '../types';
import { withFiguresInSight } from './figuresInSight';
import { defaultScheme, fitted } from './schemes';

/** What a list is asked for: the user's filters, page and order. */
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
const PAGE_SIZE = 30;
const LABEL = '__label';

export function labelKey(name: string): string {
  return `${name}${LABEL}`;
}

/** The names of several chosen records in one text: of one it is the name itself, as a link tells it. */
export function namesTogether(names: string[]): string {
  return names.length > 1 ? JSON.stringify(names) : (names[0] ?? '');
}

/** The names of `count` records in such a text; none where it doesn't tell each of them. */
export function namesIn(text: string | undefined, count: number): string[] {
  if (!text) return [];
  if (count <= 1) return [text];
  try {
    const names: unknown = JSON.parse(text);
    return Array.isArray(names) && names.length === count ? names.map(String) : [];
  } catch {
    return [];
  }
}

const RANGED = new Set(['date', 'datetime', 'integer', 'quantity', 'money', 'price', 'rate']);

export function isRanged(field: Field): boolean {
  return RANGED.has(field.type);
}

/** The query sent for a state; empty and label entries are left out. */
export function listParams(state: ListState): Query {
  const filters = Object.entries(state.filters).filter(([name, value]) => value !== '' && !name.endsWith(LABEL));
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
export function listedFields(screen: Screen, state: ListState): Field[] {
  const { leading = [] } = screen;
  const place = new Map(leading.map((name, at) => [name, at - leading.length]));
  const columns = screen.fields.filter((field) => field.list);
  const listed = columns.sort((a, b) => (place.get(a.name) ?? 0) - (place.get(b.name) ?? 0));
  if (!screen.groups) return withFiguresInSight(listed);
  const { by, columns: grouped } = screen.groups;
  const chosen = (state.filters[by] ?? '').split(',').flatMap((value) => grouped[value] ?? []);
  const empty = new Set(Object.values(grouped).flat().filter((name) => !chosen.includes(name)));
  return chosen.length > 0 ? listed.filter((field) => !empty.has(field.name)) : listed;
}

type Remembered = Partial<ListState> & Pick<Screen, 'usual'>;

export function initialListState(screen: Screen, remembered: Remembered | null, params: Record<string, string>): ListState {
  const searchable = new Set(searchFields(screen).flatMap(filterNames));
  // A selector treats 0 as nothing chosen (spec/1-shell.md 5).
  const refs = new Set(searchFields(screen).filter(isRef).map((field) => field.name));
  const given = Object.entries(params).filter(([name, value]) => searchable.has(name) && !(value === '0' && refs.has(name)));
  // A link with filters of its own (a figure that leads here) must not be narrowed by an older query.
  const linked = given.length > 0;
  const { perPage, orderKey, keyword, filters, orderBy } = remembered ?? {};
  return {
    keyword: linked ? '' : (keyword ?? ''),
    filters: linked ? { ...readingOf(screen), ...Object.fromEntries(given) } : renewed(pick(filters ?? {}, searchable), remembered?.usual, screen.usual),
    page: linked ? 1 : (remembered?.page ?? 1),
    perPage: PAGE_SIZES.includes(perPage ?? 0) ? perPage! : PAGE_SIZE,
    orderKey: orderKey && screen.fields.some((field) => field.name === orderKey && !field.masked) ? orderKey : screen.order.key,
    orderBy: orderBy ?? screen.order.by,
  };
}

/** What a list is summed up by and until when, which limits it to nothing: a link that doesn't say leaves it as usual. */
function readingOf({ fields, groups, usual = {} }: Screen): Record<string, string> {
  const until = fields.filter(({ span }) => span === 'until').flatMap(filterNames);
  return pick(usual, new Set(groups ? [groups.by, ...until] : until));
}

function pick(filters: Record<string, string>, allowed: Set<string>): Record<string, string> {
  return Object.fromEntries(Object.entries(filters).filter(([name]) => allowed.has(name)));
}

/** What a user left at its usual value follows it: this month becomes the next one. */
function renewed(filters: Record<string, string>, before: Screen['usual'], now: Screen['usual']): Record<string, string> {
  const untouched = Object.entries(now ?? {}).filter(([name]) => filters[name] === before?.[name]);
  return { ...filters, ...Object.fromEntries(untouched) };
}

function filterNames(field: Field): string[] {
  if (field.span === 'until') return [`${field.name}_end`];
  return isRanged(field) ? [`${field.name}_start`, `${field.name}_end`] : [field.name, labelKey(field.name)];
}

const slotOf = (screen: Screen) => `query:${screen.name}`;

/** What a list opens with: the link's filters, what the user left, or what is usual. */
export function openingState(screen: Screen, params: Record<string, string>): ListState {
  return initialListState(screen, recall(slotOf(screen)) ?? usualScheme(screen), params);
}

/** The list's state, remembered per screen and user, so that a refresh keeps the query. */
export function useListState(screen: Screen, params: Record<string, string>) {
  const slot = slotOf(screen);
  const [state, setState] = useState(() => openingState(screen, params));
  const [usual, setUsual] = useState(screen.usual);
  if (JSON.stringify(usual) !== JSON.stringify(screen.usual)) {
    // It is another day by now.
    setUsual(screen.usual);
    setState((before) => ({ ...before, filters: renewed(before.filters, usual, screen.usual) }));
  }
  const change = useCallback(
    (changes: Partial<ListState>) => {
      setState((before) => {
        const keepsPage = 'page' in changes;
        const next = { ...before, ...changes, page: keepsPage ? (changes.page ?? 1) : 1 };
        remember(slot, next, screen.usual);
        return next;
      });
    },
    [slot, screen.usual],
  );
  return [state, change] as const;
}

/** The query outlives the browser's session, the page within it does not. */
function remember(slot: string, state: ListState, usual: Screen['usual']): void {
  writeStored(slot, { ...state, page: undefined, usual });
  sessionStorage.setItem(slot, String(state.page));
}

/** The default scheme opens a list that was not yet asked in this browser session. */
function usualScheme(screen: Screen): Remembered | null {
  const scheme = defaultScheme(screen.name);
  return scheme && { ...fitted(screen, scheme), usual: screen.usual };
}

function recall(slot: string): Remembered | null {
  const fresh = sessionStorage.getItem(slot) === null;
  if (fresh && defaultScheme(slot.replace(/^query:/, ''))) return null;
  const stored = readStored<Remembered>(slot);
  return stored && { ...stored, page: Number(sessionStorage.getItem(slot) ?? '1') };
}

/** The list a record was opened from, so that its page can lead to the previous and next one. */
export interface Neighbours {
  query: Query;
  ids: number[];
}

export function rememberNeighbours(screen: Screen, query: Query, rows: Row[]): void {
  const value: Neighbours = { query, ids: rows.map((row) => Number(row[screen.key])) };
  sessionStorage.setItem(`neighbours:${screen.name}`, JSON.stringify(value));
}

export function recallNeighbours(screen: Screen): Neighbours | null {
  const text = sessionStorage.getItem(`neighbours:${screen.name}`);
  return text === null ? null : (JSON.parse(text) as Neighbours);
}
