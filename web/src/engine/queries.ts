import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, ApiError, type Query } from '../lib/api';
import { isCancelled, NETWORK } from '../lib/errors';
import type { Chart, BillEffects, ListAnswer, LogEntry, Ref, Row, Screen, Totals } from './types';

export const PICKER_PAGE = 30;

/** Every read of the engine, keyed by resource, so that a write can renew what it touched. */

/** A refusal stays a refusal; only what never got an answer is worth asking again. */
export function shouldRetry(count: number, error: Error): boolean {
  return count < 2 && (isCancelled(error) || (error instanceof ApiError && error.code === NETWORK));
}

export function screenQuery(route: string) {
  return queryOptions({
    queryKey: ['screen', route],
    queryFn: ({ signal }) => api.get<Screen>('v2/Open/Screen/getScreen', { route }, { signal }),
    staleTime: 5 * 60_000,
    retry: shouldRetry,
    // The page itself says what went wrong.
    meta: { quiet: true },
  });
}

const FIELD_MINUTES = 5;

/** The columns that the role may see of the list at a route, by its third segment and what follows (spec/3-rules.md 6). */
export function fieldsQuery(route: string) {
  const menu_action = route.split('/').slice(2).join('/');
  return queryOptions({
    queryKey: ['screen', 'fields', menu_action],
    queryFn: async ({ signal }) => {
      const fields = await api.get<{ field: string }[]>('v2/open/FieldAuth/getFieldList', { menu_action }, { signal });
      return fields.map(({ field }) => field);
    },
    enabled: menu_action !== '',
    staleTime: FIELD_MINUTES * 60_000,
    meta: { quiet: true },
    retry: shouldRetry,
  });
}

export function listQuery(screen: Screen, query: Query) {
  return queryOptions({
    queryKey: [screen.name, 'list', query],
    queryFn: async ({ signal, client, queryKey }) => {
      try {
        return await api.get<ListAnswer>(`${screen.api}/getList`, { ...query, totals: 0 }, { signal });
      } catch (error) {
        const rows = acceptTableAnswer(error, client.getQueryData<ListAnswer>(queryKey));
        if (rows) return rows;
        throw error;
      }
    },
    placeholderData: keepPreviousData,
    retry: shouldRetry,
  });
}

const NO_ROWS: ListAnswer = { data: [], current_page: 1, per_page: PICKER_PAGE, last_page: 1 };

/** Accept 304 as success with its own rows or the previous ones, and 404 as no rows (spec/3-rules.md 7 and 8). */
function acceptTableAnswer(error: unknown, before: ListAnswer | undefined): ListAnswer | null {
  if (!(error instanceof ApiError) || isCancelled(error)) return null;
  if (error.code === 304) return (error.data as ListAnswer | null) ?? before ?? NO_ROWS;
  return error.code === 404 ? NO_ROWS : null;
}

export function chartQuery(screen: Screen, query: Query, axis: string, measure: string) {
  const params = { ...withoutPaging(query), axis, measure };
  return queryOptions({
    queryKey: [screen.name, 'chart', params],
    queryFn: ({ signal }) => api.get<Chart>(`${screen.api}/getChart`, params, { signal }),
    placeholderData: keepPreviousData,
    retry: shouldRetry,
  });
}

const PAGING = new Set(['page', 'per_page', 'order_key', 'order_by']);

function withoutPaging(query: Query): Query {
  return Object.fromEntries(Object.entries(query).filter(([name]) => !PAGING.has(name)));
}

/** Count and totals of a filter, read beside the rows and not again per page. */
export function totalsQuery(screen: Screen, query: Query) {
  const filter = withoutPaging(query);
  return queryOptions({
    queryKey: [screen.name, 'totals', filter],
    queryFn: ({ signal }) => api.get<Totals>(`${screen.api}/getTotals`, filter, { signal }),
    placeholderData: keepPreviousData,
    retry: shouldRetry,
  });
}

/** Due date of a bill type; refetched, since terms change. */
export function dueDateQuery(screen: string, date: string, partner: number) {
  return queryOptions({
    queryKey: [screen, 'due', date, partner],
    queryFn: ({ signal }) =>
      api.get<{ due_date: string | null }>(
        'v2/open/DueDate/getDueDate',
        { screen, business_date: date, partner_id: partner },
        { signal },
      ),
    retry: shouldRetry,
    meta: { quiet: true },
  });
}

export function infoQuery(screen: Screen, id: number) {
  return queryOptions({
    queryKey: [screen.name, 'info', id],
    queryFn: ({ signal }) => api.get<Row>(`${screen.api}/getInfo`, { id }, { signal }),
    retry: shouldRetry,
  });
}

/**
 * Initial values of a form: a record, or with `draw` the remainder of another bill. Read once: a form must not change
 * while it is filled in.
 */
export function formQuery(screen: Screen, id: number, draw: boolean, source?: string) {
  const call = draw ? 'getDraft' : 'getInfo';
  return queryOptions({
    queryKey: ['form', screen.name, call, id, source],
    queryFn: ({ signal }) => api.get<Row>(`${screen.api}/${call}`, source ? { id, source } : { id }, { signal }),
    staleTime: Infinity,
    gcTime: 0,
    retry: shouldRetry,
  });
}

export function logQuery(screen: Screen, id: number) {
  return queryOptions({
    queryKey: [screen.name, 'log', id],
    queryFn: ({ signal }) => api.get<LogEntry[]>(`${screen.api}/getLog`, { id }, { signal }),
    retry: shouldRetry,
  });
}

export function effectsQuery(screen: Screen, id: number) {
  return queryOptions({
    queryKey: [screen.name, 'effects', id],
    queryFn: ({ signal }) =>
      api.get<BillEffects[]>('v2/open/BillEffect/getEffects', { screen: screen.name, id }, { signal }),
    meta: { quiet: true },
    retry: shouldRetry,
  });
}

/** Lists that come in shorter pages (spec/3-rules.md 9). */
const SHORT_PAGE_SIZES: Record<string, number> = { brand: 20, allocation: 20 };

const GOODS_POPUP = 'v2/inventory/Goods/getGoodsListPopup';

const buildDropdownQuery = (ref: Ref, narrow: Query): Query => ({
  ...narrow,
  ...(ref.disabled && { disabled: 1 }),
  ...(ref.beyond && { beyond: 1 }),
});

/** Pages of a reference's choices. Goods on a bill come with stock and prices. A failing selector stays as it was, silently. */
export function choiceQuery(ref: Ref, keyword: string, narrow: Query, withStock = false) {
  const path = withStock ? GOODS_POPUP : `${ref.api}/getDropdown`;
  const params = buildDropdownQuery(ref, narrow);
  return infiniteQueryOptions({
    queryKey: [ref.resource, withStock ? 'stocked' : 'dropdown', keyword, params],
    queryFn: ({ pageParam, signal }) =>
      api.get<ListAnswer>(
        path,
        { ...params, keyword, page: pageParam, per_page: SHORT_PAGE_SIZES[ref.resource] ?? PICKER_PAGE },
        { signal },
      ),
    initialPageParam: 1,
    getNextPageParam: (last) => (last.last_page > last.current_page ? last.current_page + 1 : undefined),
    staleTime: 30_000,
    meta: { quiet: true },
    retry: shouldRetry,
  });
}

/** The record of a reference that only its key is known of, as a link tells it. */
export function recordByKeyQuery(ref: Ref, id: number) {
  return queryOptions({
    queryKey: [ref.resource, 'named', id],
    queryFn: ({ signal }) => api.get<ListAnswer>(`${ref.api}/getDropdown`, { id, disabled: 1 }, { signal }),
    staleTime: 5 * 60_000,
    meta: { quiet: true },
    retry: shouldRetry,
  });
}

/** A unit that a goods may be counted by, and what is scanned off one; `factor` of its own make one. */
export interface PackUnit {
  unit_id: number;
  unit_name: string;
  factor: string;
  barcode: string | null;
}

/** A reference's choices in one answer; a page of it only where there are more than the server hands out at once. */
export function allChoicesQuery(ref: Ref, narrow: Query) {
  const params = buildDropdownQuery(ref, narrow);
  return queryOptions({
    queryKey: [ref.resource, 'whole', params],
    queryFn: ({ signal }) => api.get<ListAnswer>(`${ref.api}/getDropdown`, { ...params, is_coupon: 1 }, { signal }),
    staleTime: 30_000,
    meta: { quiet: true },
    retry: shouldRetry,
  });
}

/** The prefixes of the bills that the role may open. */
export function openPrefixesQuery() {
  return queryOptions({
    queryKey: ['screen', 'prefixes'],
    queryFn: ({ signal }) => api.get<string[]>('v2/open/BillAddress/getPrefixes', {}, { signal }),
    staleTime: Infinity,
    meta: { quiet: true },
    retry: shouldRetry,
  });
}

/** The goods types right below one, 0 for the top ones: a tree of three levels, read as it is unfolded. */
export interface TypeNode extends Row {
  goods_type_id: number;
  goods_type_name: string;
  level: number;
  is_leaf: boolean;
}

export function childTypesQuery(p_id: number) {
  return queryOptions({
    queryKey: ['goods_type', 'below', p_id],
    queryFn: ({ signal }) => api.get<TypeNode[]>('open/GoodsType/getGoodsTypeList', { p_id }, { signal }),
    staleTime: 30_000,
    meta: { quiet: true },
    retry: shouldRetry,
  });
}

/** Goods with stock and prices for a bill's warehouse and partner. */
/** A place where goods lie, for a bill that counts them there. */
export interface GoodsPlace {
  allocation_id: number | null;
  allocation_name: string | null;
  batch: string | null;
  quantity: string;
}

export interface GoodsRow extends Row {
  units?: PackUnit[];
  places?: GoodsPlace[] | null;
  goods_id: number;
  goods_num: string;
  goods_name: string;
  barcode?: string | null;
  is_batch?: boolean;
  available_stocks?: string;
  /** Quantity reserved by each of the requested order lines. */
  held?: Record<string, string>;
  safety_stock?: string | null;
  last_price?: string | null;
  unit_price?: string | null;
  price_source?: string | null;
}

export function goodsQuery(query: Query) {
  return queryOptions({
    queryKey: ['goods', 'popup', query],
    queryFn: ({ signal }) => api.get<ListAnswer<GoodsRow>>(GOODS_POPUP, query, { signal }),
    staleTime: 10_000,
    retry: shouldRetry,
  });
}

/** Open rows, oldest first; of very many only the first. */
export interface OpenRows {
  data: Row[];
  more: boolean;
}

export function sourceQuery(apiPath: string, query: Query) {
  return queryOptions({
    queryKey: ['source', apiPath, query],
    queryFn: ({ signal }) => api.get<OpenRows>(apiPath, query, { signal }),
    retry: shouldRetry,
  });
}

export function proposalQuery(apiPath: string, query: Query) {
  return queryOptions({
    queryKey: ['proposal', apiPath, query],
    queryFn: ({ signal }) => api.get<Row[]>(apiPath, query, { signal }),
    retry: shouldRetry,
  });
}
