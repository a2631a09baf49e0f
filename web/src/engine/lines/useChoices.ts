import { useMemo } from 'react';
import type { Query } from '../../lib/api';
import { useInfiniteQuery } from '../../lib/query';
import { findUniqueMatch, sortNamedFirst, isSameText } from '../pickers/typedChoice';
import { useDebounced } from '../../lib/useDebounced';
import { choiceQuery } from '../queries';
import { batchQuery } from './batches';
import type { PackUnit } from '../queries';
import type { Field, Ref, Row } from '../types';
import { isBatch } from './lineModel';
import { PACK_FIELDS, findScannedPack } from './packs';

/** A choice offered by a reference or enum cell for the typed text. */
export interface Choice {
  value: unknown;
  label: string;
  row: Row | null;
}

export interface Choices {
  list: Choice[];
  /** The text that `list` answers, once it does; until then it is empty. */
  keyword: string;
  answered: boolean;
  loading: boolean;
  loadMore: () => void;
}

const NO_REF: Ref = { resource: 'none', api: '', value: '', label: '', search: [], filter_by: [], only: {} };

export function isChoiceField(field: Field | undefined): boolean {
  return field?.type === 'enum' || (field?.type === 'ref' && field.ref !== null);
}

/** The unit of a line's packs, which is one of its goods' own. */
export function isOwnUnit(field: Field | undefined): boolean {
  return field?.name === PACK_FIELDS.unit;
}

export function isGoodsRef(field: Field | undefined): boolean {
  return field?.ref?.resource === 'goods';
}

/** Query for a reference cell's choices; for batches, those of the warehouse once it and the goods are known. */
export function cellChoicesQuery(field: Field | undefined, keyword: string, narrow: Query) {
  const stocked = isBatch(field) && narrow.goods_id !== undefined && narrow.warehouse_id !== undefined;
  return stocked ? batchQuery(keyword, narrow) : choiceQuery(field?.ref ?? NO_REF, keyword, narrow, isGoodsRef(field));
}

interface ChoicesOptions {
  field: Field | undefined;
  text: string;
  /** Keyword searched at once, in place of the debounced text. */
  immediateKeyword: string | null;
  narrow: Query;
  /** The units that the line's goods are counted by. */
  units: PackUnit[];
  enabled: boolean;
}

export function useChoices({
  field,
  text,
  immediateKeyword: flushed,
  narrow,
  units,
  enabled,
}: ChoicesOptions): Choices {
  const typed = text.trim();
  const debounced = useDebounced(typed);
  const keyword = flushed ?? debounced;
  const waiting = flushed === null && debounced !== typed;
  const ref = field?.ref ?? NO_REF;
  const known = field?.type === 'enum' || isOwnUnit(field);
  const query = useInfiniteQuery({
    ...cellChoicesQuery(field, keyword, narrow),
    // Nothing is asked for a text that is still being typed.
    enabled: enabled && ref !== NO_REF && !known && !waiting,
  });
  const pages = waiting ? undefined : query.data?.pages;
  const list = useMemo(() => {
    if (field && isOwnUnit(field)) return unitChoices(units, typed);
    if (field?.type === 'enum') return enumChoices(field, typed);
    const [begin = [], ...more] = pages?.map((page) => rowChoices(ref, page.data)) ?? [];
    return [...sortNamedFirst(begin, (choice) => NAME_TESTS.some((isNamed) => isNamed(choice, typed))), ...more.flat()];
  }, [field, typed, ref, units, pages]);
  return {
    list,
    keyword: known ? typed : keyword,
    answered: known || pages !== undefined,
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

const NAME_TESTS = [
  isBarcode,
  (choice: Choice, text: string) => isSameText(choice.row?.goods_num, text),
  (choice: Choice, text: string) => isSameText(choice.label, text),
];

/** The choice that the text names: for goods by barcode or code, else by label; or the only one. */
export function findNamedChoice(list: Choice[], text: string): Choice | undefined {
  return findUniqueMatch(
    list,
    NAME_TESTS.map((isNamed) => (choice: Choice) => isNamed(choice, text)),
  );
}

export function isBarcode(choice: Choice, text: string): boolean {
  const barcode = choice.row?.barcode;
  if (findScannedPack(choice.row?.units as PackUnit[] | undefined, text)) return true;
  return typeof barcode === 'string' && barcode !== '' && barcode.toLowerCase() === text.trim().toLowerCase();
}
