import { useMemo } from 'react';
import type { Query } from '../../lib/api';
import { useInfiniteQuery } from '../../lib/query';
import { useDebounced } from '../../lib/useDebounced';
import { choiceQuery } from '../queries';
import { batchQuery } from './batches';
import type { PackUnit } from '../queries';
import type { Field, Ref, Row } from '../types';
import { isBatch } from './lineModel';
import { PACK, scannedPack } from './packs';

/** What a cell of references or choices offers for the typed text. */
export interface Choice {
  value: unknown;
  label: string;
  row: Row | null;
}

export interface Choices {
  list: Choice[];
  /** The text that `list` answers. */
  keyword: string;
  loading: boolean;
  loadMore: () => void;
}

const NO_REF: Ref = { resource: 'none', api: '', value: '', label: '', search: [], filter_by: [], only: {} };

export function isChoice(field: Field | undefined): boolean {
  return field?.type === 'enum' || (field?.type === 'ref' && field.ref !== null);
}

/** The unit of a line's packs, which is one of its goods' own. */
export function isOwnUnit(field: Field | undefined): boolean {
  return field?.name === PACK.unit;
}

export function isGoods(field: Field | undefined): boolean {
  return field?.ref?.resource === 'goods';
}

/** What a reference cell offers: batches are those the warehouse has, once it and the goods are known. */
export function offeredQuery(field: Field | undefined, keyword: string, narrow: Query) {
  const stocked = isBatch(field) && narrow.goods_id !== undefined && narrow.warehouse_id !== undefined;
  return stocked ? batchQuery(keyword, narrow) : choiceQuery(field?.ref ?? NO_REF, keyword, narrow, isGoods(field));
}

interface ChoicesOptions {
  field: Field | undefined;
  text: string;
  /** What is searched at once in place of the typed text. */
  flushed: string | null;
  narrow: Query;
  /** The units that the line's goods are counted by. */
  units: PackUnit[];
  enabled: boolean;
}

export function useChoices({ field, text, flushed, narrow, units, enabled }: ChoicesOptions): Choices {
  const typed = text.trim();
  const settled = useDebounced(typed);
  const keyword = flushed ?? settled;
  const waiting = flushed === null && settled !== typed;
  const ref = field?.ref ?? NO_REF;
  const known = field?.type === 'enum' || isOwnUnit(field);
  const query = useInfiniteQuery({
    ...offeredQuery(field, keyword, narrow),
    // Nothing is asked for a text that is still being typed.
    enabled: enabled && ref !== NO_REF && !known && !waiting,
  });
  const list = useMemo(() => {
    if (field && isOwnUnit(field)) return unitChoices(units, typed);
    return field?.type === 'enum' ? enumChoices(field, typed) : rowChoices(ref, query.data?.pages.flatMap((page) => page.data) ?? []);
  }, [field, typed, ref, units, query.data]);
  return {
    list,
    keyword: known ? typed : keyword,
    loading: query.isFetching || (!known && field?.type === 'ref' && waiting),
    loadMore: () => {
      if (query.hasNextPage && !query.isFetchingNextPage) void query.fetchNextPage();
    },
  };
}

function enumChoices(field: Field, text: string): Choice[] {
  const options = field.options ?? [];
  return options
    .filter((option) => option.label.includes(text) || String(option.value) === text)
    .map((option) => ({ value: option.value, label: option.label, row: null }));
}

export function unitChoices(units: PackUnit[], text: string): Choice[] {
  return units
    .filter((unit) => unit.unit_name.includes(text))
    .map((unit) => ({ value: unit.unit_id, label: unit.unit_name, row: { factor: unit.factor } }));
}

export function rowChoices(ref: Ref, rows: Row[]): Choice[] {
  return rows.map((row) => ({ value: row[ref.value], label: String(row[ref.label] ?? row[ref.value]), row }));
}

/** The choice that the text names exactly: by label, or for goods by code or barcode. */
export function exactChoice(list: Choice[], text: string): Choice | undefined {
  const wanted = text.trim().toLowerCase();
  const same = (value: unknown) => value !== null && value !== undefined && String(value).toLowerCase() === wanted;
  const byBarcode = list.find((choice) => isBarcode(choice, text));
  return byBarcode ?? list.find((choice) => same(choice.row?.goods_num)) ?? list.find((choice) => same(choice.label));
}

export function isBarcode(choice: Choice, text: string): boolean {
  const barcode = choice.row?.barcode;
  if (scannedPack(choice.row?.units as PackUnit[] | undefined, text)) return true;
  return typeof barcode === 'string' && barcode !== '' && barcode.toLowerCase() === text.trim().toLowerCase();
}
