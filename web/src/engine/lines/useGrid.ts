import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { reportError, showMessage } from '../../lib/errors';
import { createStore, useStore } from '../../lib/store';
import { formatField } from '../fields/fieldValue';
import type { GoodsRow, PackUnit } from '../queries';
import type { Block, Field, Pricing } from '../types';
import { buildGoodsQuery, buildRefQuery, type BillContext } from './billContext';
import {
  startColumn,
  figureColumn,
  FIGURE_LABELS,
  isStop,
  nextCell,
  previousCell,
  type Cursor,
  type Figure,
} from './gridColumns';
import { INITIAL_GRID_STATE, type GridState } from './gridState';
import {
  chooseCell,
  clearCell,
  goodsField,
  isBatchKnown,
  isBlankLine,
  isEditable,
  typeCell,
  type LineRow,
} from './lineModel';
import type { LineStore } from './lineStore';
import { hasPacks, isPackField, PACK_FIELDS, quantityField, findScannedPack, readUnits } from './packs';
import { awaitChoice, canBeRead, warnAmbiguous } from '../pickers/typedChoice';
import { pasteCells } from './pasteCells';
import { placeGoods } from './placeGoods';
import {
  isBarcode,
  isChoiceField,
  isGoodsRef,
  isOwnUnit,
  findNamedChoice,
  cellChoicesQuery,
  rowChoices,
  useChoices,
  type Choice,
} from './useChoices';

export interface GridOptions {
  store: LineStore;
  block: Block;
  columns: Field[];
  pricing: Pricing | null;
  context: BillContext;
}

const NO_UNITS: PackUnit[] = [];

/** The grid's behaviour: movement, entry, choices, paste. Handlers read the stores, so that no keystroke is too quick. */
export function useGrid(options: GridOptions) {
  const { store, columns, pricing, context } = options;
  const client = useQueryClient();
  const [grid] = useState(() =>
    createStore<GridState>({ ...INITIAL_GRID_STATE, col: startColumn(columns, pricing, store.get()[0]?.values) }),
  );
  const state = useStore(grid, (one) => one);
  const lines = useStore(store, (one) => one);
  const editable = useMemo(() => columns.map((field) => isEditable(field, pricing)), [columns, pricing]);
  const stops = useMemo(() => columns.map(isStop), [columns]);
  const field = columns[state.col];
  const narrowOf = (cell: Field, line: LineRow | undefined) =>
    isGoodsRef(cell) ? buildGoodsQuery(context) : buildRefQuery(cell, line?.values ?? {}, context.header());
  const choices = useChoices({
    field,
    text: state.editing?.text ?? '',
    immediateKeyword: state.immediateKeyword,
    narrow: field ? narrowOf(field, lines[state.row]) : {},
    units: readUnits(lines[state.row]?.values ?? {}) ?? NO_UNITS,
    enabled: state.open,
  });
  const latest = useRef(choices);
  const shownAt = useRef(Infinity);
  useEffect(() => {
    latest.current = choices;
  }, [choices]);
  const { list: offered, answered } = choices;
  useEffect(() => {
    shownAt.current = state.open && answered ? performance.now() : Infinity;
  }, [state.open, answered, offered]);

  const shown = useRef(columns);
  useLayoutEffect(() => {
    const before = shown.current;
    shown.current = columns;
    const { row, col } = grid.get();
    const place = (name: string | undefined) => columns.findIndex((one) => one.name === name);
    const stays = before[col]?.name;
    // Packs that have just come to show are keyed in before the quantity, which the cursor came to without them.
    const passed =
      stays === quantityField(pricing) && !before.some(isPackField) && hasPacks(store.get()[row]?.values ?? {});
    const due = passed && place(PACK_FIELDS.quantity) >= 0 ? place(PACK_FIELDS.quantity) : place(stays);
    if (due >= 0 && due !== col) grid.set((at) => ({ ...at, col: due }));
  }, [columns, grid, store, pricing]);

  const change = (changes: Partial<GridState>) => grid.set((before) => ({ ...before, ...changes }));
  const moveTo = (cursor: Cursor) =>
    change({ ...cursor, editing: null, open: false, immediateKeyword: null, highlight: -1 });
  /** Look-ups of cells that wait for their answer: a later word in the same cell overtakes them. */
  const pending = useRef(new Map<string, () => void>());
  const placeOf = (line: LineRow, cell: Field) => `${line.key}:${cell.name}`;
  const overtake = () => {
    const { cell, line } = current();
    if (cell && line) pending.current.get(placeOf(line, cell))?.();
  };
  const current = () => {
    const at = grid.get();
    return { at, cell: columns[at.col], line: store.get()[at.row] };
  };

  /** To the next cell, past the last one to a new line. */
  const advance = (through: boolean[] = stops) => {
    const { at, line } = current();
    const counts = line && hasPacks(line.values);
    const next = nextCell(
      at,
      through.map(
        (yes, col) =>
          yes &&
          (counts || !isPackField(columns[col]!)) &&
          !(through === stops && line && isBatchKnown(columns[col]!, line.values)),
      ),
      store.get().length,
    );
    if (next.row === store.get().length) {
      if (!line || !store.grows || isBlankLine(store.fields, line)) return moveTo({ row: at.row, col: next.col });
      store.ensureLine(next.row);
    }
    moveTo(next);
  };
  const retreat = () => moveTo(previousCell(grid.get(), editable));

  const startEdit = () => {
    const { cell, line } = current();
    if (!cell || !line || !editable[grid.get().col] || cell.type === 'bool') return;
    const text =
      cell.type === 'ref' || cell.type === 'enum'
        ? formatField(cell, line.values)
        : String(line.values[cell.name] ?? '');
    change({ editing: { text, mode: 'edit' }, open: isChoiceField(cell), immediateKeyword: '', highlight: -1 });
  };

  const type = (text: string) => {
    const { at, cell } = current();
    if (!cell || !editable[at.col] || cell.type === 'bool') return;
    overtake();
    change({
      editing: { text, mode: at.editing?.mode ?? 'type' },
      open: isChoiceField(cell),
      immediateKeyword: null,
      highlight: -1,
    });
  };

  const toggle = () => {
    const { at, cell } = current();
    if (cell?.type !== 'bool' || !editable[at.col]) return;
    store.update(at.row, (line) => chooseCell(line, cell, line.values[cell.name] !== true, null, pricing));
  };

  const isToggle = () => current().cell?.type === 'bool';
  const count = () => store.get().length;

  const clear = () => {
    const { at, cell } = current();
    overtake();
    if (cell && editable[at.col]) store.update(at.row, (line) => clearCell(line, cell, pricing, store.fields));
  };

  const copyAbove = () => {
    const { at, cell } = current();
    const above = store.get()[at.row - 1];
    if (!above || !cell || !editable[at.col]) return;
    store.update(at.row, (line) => {
      if (isGoodsRef(cell)) return { ...above, key: line.key };
      const label = cell.label_field === null ? null : String(above.values[cell.label_field] ?? '');
      if (cell.type === 'ref' || cell.type === 'bool' || cell.type === 'enum')
        return chooseCell(line, cell, above.values[cell.name], label, pricing);
      return typeCell(line, cell, String(above.values[cell.name] ?? ''), pricing).line;
    });
  };

  const put = (key: string, cell: Field, choice: Choice, text: string) => {
    const index = store.get().findIndex((line) => line.key === key);
    if (index < 0) return;
    const { at } = current();
    const stillHere = at.row === index && columns[at.col] === cell;
    const goOn = () => stillHere && at.editing === null && advance();
    if (!isGoodsRef(cell)) {
      store.update(index, (line) => chooseCell(line, cell, choice.value, choice.label, pricing));
      goOn();
      return;
    }
    const scanned = isBarcode(choice, text);
    const goods = choice.row as GoodsRow;
    const placed = placeGoods(store, index, {
      cell,
      pricing,
      goods,
      scanned,
      pack: findScannedPack(goods.units, text),
    });
    // After a scan the next one goes to a new line; what the scanner has typed meanwhile comes along.
    if (!scanned) goOn();
    else if (stillHere && placed === index) change({ row: store.ensureLine(index + 1) });
  };

  const pick = (choice: Choice) => {
    const { cell, line, at } = current();
    if (!cell || !line) return;
    const text = at.editing?.text ?? '';
    change({ editing: null, open: false, immediateKeyword: null });
    put(line.key, cell, choice, text);
  };

  /** Awaits what was typed: what it names comes to the line, whatever is typed meanwhile follows it. Answers whether it did. */
  const resolve = (text: string): Promise<boolean> => {
    const { at, cell, line } = current();
    const ref = cell?.ref;
    if (!ref || !line) return Promise.resolve(true);
    if (isOwnUnit(cell)) {
      refuse(at, text, `该商品没有辅单位：${text}`);
      return Promise.resolve(false);
    }
    change({ editing: null, open: false, immediateKeyword: null, busy: at.busy + 1 });
    const place = placeOf(line, cell);
    const end = () => {
      pending.current.delete(place);
      grid.set((before) => ({ ...before, busy: before.busy - 1 }));
    };
    const { done, giveUp } = awaitChoice<Choice>({
      label: cell.label,
      text,
      narrow: () => narrowOf(cell, store.get().find((one) => one.key === line.key) ?? line),
      ask: async (narrow) =>
        rowChoices(ref, (await client.fetchInfiniteQuery(cellChoicesQuery(cell, text, narrow))).pages[0]?.data ?? []),
      pick: (list) => findNamedChoice(list, text),
      onTake: (choice) => {
        end();
        put(line.key, cell, choice, text);
      },
      onRefuse: (why) => {
        end();
        const here = grid.get();
        if (here.focused && here.row === at.row && here.col === at.col) refuse(at, text, null);
        else if (why === 'several') warnAmbiguous(cell.label, text);
      },
    });
    pending.current.set(place, giveUp);
    return done;
  };

  const busily = async (work: () => Promise<void>) => {
    const count = (by: number) => grid.set((before) => ({ ...before, busy: before.busy + by }));
    count(1);
    try {
      await work();
    } catch (error) {
      reportError(error);
    } finally {
      count(-1);
    }
  };

  /** Back into the cell with what was typed, its choices open. */
  const refuse = (at: Cursor, text: string, warning: string | null) => {
    if (warning !== null) showMessage('warning', warning);
    if (grid.get().editing === null)
      change({
        row: at.row,
        col: at.col,
        editing: { text, mode: 'edit' },
        open: true,
        immediateKeyword: text,
        highlight: -1,
      });
  };

  /** Ends typing; `entered` by the key that takes what is offered. False when the cell refused it. */
  const commit = (entered = false): boolean => {
    const { at, cell } = current();
    if (!at.editing || !cell) return true;
    const { text, mode } = at.editing;
    if (isChoiceField(cell)) {
      commitChoice(cell, text, mode, entered);
      return true;
    }
    let problem: string | null = null;
    store.update(at.row, (line) => {
      const entry = typeCell(line, cell, text, pricing);
      problem = entry.problem;
      return entry.line;
    });
    change({ editing: null, open: false });
    if (problem !== null) showMessage('warning', problem);
    return problem === null;
  };

  const commitChoice = (cell: Field, text: string, mode: 'type' | 'edit', entered: boolean) => {
    const { list, keyword } = latest.current;
    const { highlight } = grid.get();
    const typed = text.trim();
    const marked = list[highlight];
    const answered = latest.current.answered && keyword === typed;
    const isRead = entered && canBeRead(shownAt.current);
    const first = answered ? (findNamedChoice(list, typed) ?? (isRead ? list[0] : undefined)) : undefined;
    if (marked) pick(marked);
    else if (mode === 'edit' && typed === formatField(cell, current().line?.values ?? {})) advance();
    else if (typed === '') {
      clear();
      advance();
    } else if (first) pick(first);
    else if (cell.type === 'ref' && !(isOwnUnit(cell) && list.length > 0)) store.track(resolve(typed));
    else if (!entered || list.length === 0) moveTo(grid.get());
  };

  /** Enter and Tab: end typing and go on; a choice goes on by itself once it is found. */
  const enter = (through?: boolean[]) => {
    const { at, cell } = current();
    if (at.editing && isChoiceField(cell)) commit(true);
    else if (commit()) advance(through);
  };

  /** To a figure of the present line, if it is shown. */
  const goTo = (figure: Figure) => {
    const { row } = grid.get();
    const col = figureColumn(columns, pricing, figure);
    if (col < 0) showMessage('info', `明细没有${FIGURE_LABELS[figure]}`);
    else if (commit()) moveTo({ row, col });
  };

  /** To the next line's first stop; past the last one to a new line. */
  const nextLine = () => {
    const { row, col: here } = grid.get();
    if (!commit()) return;
    const { line } = current();
    const col = Math.max(0, stops.indexOf(true));
    const next = store.get()[row + 1];
    // A line that has its goods already, as of another place where they lie, goes on where this one was left.
    if (next) moveTo({ row: row + 1, col: isBlankLine(store.fields, next) || !stops[here] ? col : here });
    else if (line && store.grows && !isBlankLine(store.fields, line)) moveTo({ row: store.ensureLine(row + 1), col });
  };

  const paste = (text: string) => {
    const { row, col } = grid.get();
    change({ editing: null, open: false });
    const target = {
      columns,
      goods: goodsField(options.block),
      pricing,
      start: { row, col },
      lineFields: store.fields,
    };
    return busily(() => pasteCells(client, store, text, target, context));
  };

  return {
    grid,
    state,
    lines,
    editable,
    choices,
    change,
    moveTo,
    advance,
    retreat,
    startEdit,
    type,
    isToggle,
    toggle,
    count,
    clear,
    copyAbove,
    pick,
    commit,
    enter,
    nextLine,
    goTo,
    paste,
  };
}

export type Grid = ReturnType<typeof useGrid>;
