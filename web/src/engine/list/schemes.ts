/** 查询方案: a list's query kept under a name, for oneself or for everybody, one of them as the default. */
import { queryOptions } from '@tanstack/react-query';
import { listPreferences } from '../../lib/preferences';
import { readSlot } from '../../lib/localStorageSlot';
import { searchFields, type Screen } from '../types';
import type { ListState } from './listState';

export type SchemeState = Pick<ListState, 'keyword' | 'filters' | 'orderKey' | 'orderBy'>;

export function schemesQuery<T>(screen: string) {
  return queryOptions({
    queryKey: ['schemes', screen],
    queryFn: () => listPreferences<T>('scheme', screen),
    staleTime: 60_000,
    meta: { quiet: true },
  });
}

export function toSchemeState({ keyword, filters, orderKey, orderBy }: ListState): SchemeState {
  return { keyword, filters, orderKey, orderBy };
}

/** A scheme without what the screen no longer has, or what the user may not see of another's. */
export function fitScheme(screen: Screen, scheme: SchemeState): SchemeState {
  const seen = screen.fields.filter((field) => !field.masked);
  const names = new Set(
    searchFields(screen).flatMap(({ name }) => [name, `${name}_start`, `${name}_end`, `${name}__label`]),
  );
  return {
    keyword: scheme.keyword,
    filters: Object.fromEntries(Object.entries(scheme.filters).filter(([name]) => names.has(name))),
    orderKey: seen.some((field) => field.name === scheme.orderKey) ? scheme.orderKey : screen.order.key,
    orderBy: scheme.orderBy,
  };
}

/** Return the scheme that opens the list in a new browser session, as stored from the server. */
export function readDefaultScheme<T = SchemeState>(screen: string): T | null {
  return readSlot<T>(`scheme:${screen}`);
}
