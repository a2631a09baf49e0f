import { useQueryClient } from '@tanstack/react-query';
import { Select, Spin } from 'antd';
import { useRef, useState, type RefObject, type UIEvent } from 'react';
import { clearOnDelete, ALLOW_CLEAR } from '../../lib/clearOnDelete';
import type { Query } from '../../lib/api';
import { useInfiniteQuery, useQueries, useQuery } from '../../lib/query';
import { findUniqueMatch, sortNamedFirst, isSameText } from '../pickers/typedChoice';
import { useEnter, usePickerSearch } from '../pickers/useEnter';
import { choiceQuery, recordByKeyQuery, allChoicesQuery } from '../queries';
import type { Field, ListAnswer, Ref, RefField, Row } from '../types';
import { isEmptyRef } from './fieldValue';
import { TypeOption, useTypeTree, type TypeTree } from './typeTree';

type Chooser = Pick<RefField, 'label' | 'required' | 'ref'>;

interface RefSelectProps {
  field: Chooser;
  value: unknown;
  /** The name; for several, the known names in order. */
  label: unknown;
  /** Values of the fields that narrow the choice. */
  narrow?: Query;
  multiple?: boolean;
  disabled?: boolean;
  status?: 'error';
  id?: string;
  /** With the name and record of one, or the `names` of several. */
  onChange: (value: number | number[] | null, label: string | null, picked: Row | null, names: string[]) => void;
  /** A choice was made by the keyboard, which goes on to what comes next. */
  onKeyboardChoice?: () => void;
  /** True if records without a value may be filtered for, where the reference has a key for none. */
  allowNone?: boolean;
}

/**
 * Distance (px) from the bottom at which the next page is loaded; larger for brands, of which there are many
 * (spec/1-shell.md 9).
 */
const NEAR_BOTTOM = 100;
const NEAR_BOTTOM_BY_RESOURCE: Record<string, number> = { brand: 200 };

/** Maximum length of a search keyword (spec/3-rules.md 5.3). */
const KEYWORD_LENGTH = 100;
/** A second change within this (ms) is a bouncing key or button, and nobody's choice. */
const BOUNCE_INTERVAL = 100;

/** Searches a resource by keyword; 30 a page, more on scrolling. What comes at once is searched here. */
export function RefSelect({
  field,
  value,
  label,
  narrow = {},
  multiple,
  disabled,
  status,
  id,
  onChange,
  onKeyboardChoice: onEntered,
  allowNone: withNone,
}: RefSelectProps) {
  const { ref } = field;
  const client = useQueryClient();
  const [open, setOpen] = useState(false);
  const changedAt = useRef(-BOUNCE_INTERVAL);
  const byKey = useRef(false);
  const search = usePickerSearch();
  const { typed } = search;
  const whole = useQuery({ ...allChoicesQuery(ref, narrow), enabled: open && ref.at_once === true });
  const allRows = completeRows(whole.data);
  const tree = useTypeTree(ref, open && typed === '');
  const askServer = !ref.at_once || (whole.isFetched && !allRows);
  const query = useInfiniteQuery({ ...choiceQuery(ref, typed, narrow), enabled: open && askServer && search.settled });
  // Rows that answer other words than the typed ones are nobody's to choose.
  const answered = allRows || tree ? true : search.settled && query.data !== undefined;
  const named = (words: string) => (row: Row) => isSameText(row[ref.label], words);
  const [begin = [], ...more] = tree
    ? [tree.rows]
    : allRows
      ? [filterRows(allRows, ref, typed)]
      : answered
        ? query.data!.pages.map((page) => page.data)
        : [];
  const none =
    withNone && answered ? buildNoneRows(field).filter((row) => String(row[ref.label]).startsWith(typed)) : [];
  const rows = [...(tree ? begin : sortNamedFirst(begin, named(typed))), ...more.flat(), ...none];
  const optionOf = (row: Row) => ({
    value: Number(row[ref.value]),
    label: String(row[ref.label] ?? row[ref.value]),
    row,
  });
  const names = useRefNames(field, value, label);
  const current = toSelectedOption(value, names);
  const clears = !field.required || multiple === true;
  const loadMore = (event: UIEvent<HTMLDivElement>) => {
    const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
    const near = scrollHeight - scrollTop - clientHeight < (NEAR_BOTTOM_BY_RESOURCE[ref.resource] ?? NEAR_BOTTOM);
    if (near && query.hasNextPage && !query.isFetchingNextPage) void query.fetchNextPage();
  };
  const close = () => {
    setOpen(false);
    search.type('');
  };
  const change = (chosen: SelectedOption | SelectedOption[] | undefined, picked: Row | null) => {
    if (isBounce(changedAt)) return;
    enter.giveUp();
    if (Array.isArray(chosen))
      onChange(
        chosen.map((one) => one.value),
        null,
        null,
        chosen.map((one) => String(one.label)),
      );
    else if (!chosen) onChange(null, null, null, []);
    else onChange(chosen.value, String(chosen.label), picked, []);
  };
  const take = (row: Row, isHere: boolean) => {
    const one = optionOf(row);
    if (!Array.isArray(current)) change(one, row);
    else if (!current.some((other) => other.value === one.value)) change([...current, one], null);
    close();
    if (isHere) onEntered?.();
  };
  const enter = useEnter({
    open,
    rows,
    answered,
    typed,
    label: field.label,
    narrow,
    ask: async (words) => {
      const all = ref.at_once ? completeRows(await client.fetchQuery(allChoicesQuery(ref, narrow))) : null;
      if (all) return filterRows(all, ref, words);
      return (await client.fetchInfiniteQuery(choiceQuery(ref, words, narrow))).pages[0]?.data ?? [];
    },
    pick: (some, words) => findUniqueMatch(some, [named(words)]),
    onTake: take,
    onWait: search.flush,
    onLeave: close,
    onMarked: () => (byKey.current = true),
  });
  return (
    <div className="picker" onKeyDownCapture={enter.onKey}>
      <Select
        id={id}
        className="field-control"
        mode={multiple ? 'multiple' : undefined}
        maxTagCount="responsive"
        aria-label={field.label}
        showSearch={{
          filterOption: false,
          searchValue: search.text,
          onSearch: (text) => {
            enter.giveUp();
            search.type(text.slice(0, KEYWORD_LENGTH));
          },
          autoClearSearchValue: true,
        }}
        allowClear={clears && ALLOW_CLEAR}
        onKeyDown={
          clears ? clearOnDelete(() => (enter.giveUp(), onChange(multiple ? [] : null, null, null, []))) : undefined
        }
        disabled={disabled}
        status={status}
        placeholder={`请选择${field.label}`}
        value={current}
        labelInValue
        options={rows.map(optionOf)}
        optionRender={({ label, data }) => <ChoiceName row={data.row} label={String(label)} of={ref} tree={tree} />}
        notFoundContent={answered ? '暂无数据' : <Spin size="small" />}
        popupMatchSelectWidth={false}
        open={open}
        onOpenChange={(next) => {
          setOpen(next);
          if (!next) search.type('');
        }}
        onPopupScroll={loadMore}
        onChange={(chosen: SelectedOption | SelectedOption[] | undefined) => {
          const only = Array.isArray(chosen) ? undefined : chosen;
          change(chosen, rows.find((row) => Number(row[ref.value]) === only?.value) ?? null);
        }}
        onSelect={() => {
          if (byKey.current) onEntered?.();
          byKey.current = false;
        }}
      />
    </div>
  );
}

/** Return whether a change follows the previous one too soon to be deliberate. */
function isBounce(changedAt: RefObject<number>): boolean {
  const now = performance.now();
  const soon = now - changedAt.current < BOUNCE_INTERVAL;
  if (!soon) changedAt.current = now;
  return soon;
}

/** The choices, where all of them came at once. */
function completeRows(whole: ListAnswer | undefined): Row[] | null {
  return whole && whole.last_page <= 1 ? whole.data : null;
}

/** A warehouse of this type holds what is sold. */
const SALE_WAREHOUSE_TYPE = 1;

function ChoiceName({ row, label, of, tree }: { row: Row | undefined; label: string; of: Ref; tree: TypeTree | null }) {
  if (tree && row && 'is_leaf' in row) return <TypeOption row={row} label={label} tree={tree} />;
  const name = row?.enabled === false ? `${label}（已停用）` : label;
  return of.resource === 'warehouse' && row?.type === SALE_WAREHOUSE_TYPE ? (
    <span className="for-sale">{name}</span>
  ) : (
    name
  );
}

const formatNoneLabel = (field: Pick<Field, 'label'>) => `无${field.label}`;

/** The choice of those without one: 无品牌 is a brand of -1. */
function buildNoneRows(field: Chooser): Row[] {
  const { none = null, value, label } = field.ref;
  return none === null ? [] : [{ [value]: none, [label]: formatNoneLabel(field) }];
}

/** The names of what is chosen; where keys alone are told of, as by a link, their records are asked for them. */
function useRefNames(field: Chooser, value: unknown, label: unknown): string[] {
  const { ref } = field;
  const ids = (Array.isArray(value) ? value : [value]).map((one) => (isEmptyRef(one) ? 0 : Number(one)));
  const labels = (Array.isArray(label) ? label : [label]).map((one) => String(one ?? ''));
  const results = useQueries({
    queries: ids.map((id, at) => ({ ...recordByKeyQuery(ref, id), enabled: id > 0 && !labels[at] })),
  });
  return ids.map((id, at) =>
    id < 0 ? formatNoneLabel(field) : labels[at] || String(results[at]?.data?.data[0]?.[ref.label] ?? id),
  );
}

/** Rows with the words in their key or in a text that they are searched by: of customers name, contact and mobile. */
function filterRows(rows: Row[], ref: Ref, words: string): Row[] {
  const wanted = words.toLowerCase();
  return rows.filter((row) =>
    [ref.value, ref.label, ...ref.search].some((name) =>
      String(row[name] ?? '')
        .toLowerCase()
        .includes(wanted),
    ),
  );
}

interface SelectedOption {
  value: number;
  label: unknown;
}

function toSelectedOption(value: unknown, names: string[]): SelectedOption | SelectedOption[] | undefined {
  if (Array.isArray(value)) return value.map((one, at) => ({ value: Number(one), label: names[at] }));
  return isEmptyRef(value) ? undefined : { value: Number(value), label: names[0] };
}
