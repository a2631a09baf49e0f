import { columnSizingFeature, tableFeatures, useTable } from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Spin } from 'antd';
import { useCallback, useEffect, useMemo, useRef, useState, type MouseEvent } from 'react';
import { useStore } from '../../lib/store';
import { useElementSize } from '../../lib/useElementSize';
import { useColumnPlan } from '../list/columnPlan';
import { CARD_MAX_WIDTH } from '../list/RowCards';
import type { Block, Field, Pricing } from '../types';
import type { BillContext } from './billContext';
import { CellInput, type CellBox } from './CellInput';
import { gridFields, isStop, STOCK_COLUMN } from './gridColumns';
import { handleGridKey } from './gridKeys';
import { Heading, Sums } from './GridFrame';
import { GridRow, type GridColumn } from './GridRow';
import { INDEX_WIDTH } from './columnLayout';
import { goodsField, isEditable, findShortages, type LineRow } from './lineModel';
import type { LineStore } from './lineStore';
import { LineToolbar } from './LineToolbar';
import { hasPacks, isPackField, quantityField } from './packs';
import { isGoodsRef } from './useChoices';
import { useGrid } from './useGrid';

interface LineTableProps {
  name: string;
  block: Block;
  pricing: Pricing | null;
  store: LineStore;
  context: BillContext;
}

const ROW_HEIGHT = 30;
/** Width of the labels of a line's card on a phone, and the gap between its cells (px). */
const NAME_WIDTH = 104;
const CARD_GAP = 10;
const TABLE_FEATURES = tableFeatures({ columnSizingFeature });

/** A bill's lines, keyed in like a spreadsheet. */
export function LineTable({ name, block, pricing, store, context }: LineTableProps) {
  const packed = useStore(store, (lines) => lines.some((line) => hasPacks(line.values)));
  const fields = useMemo(() => {
    const known = packed
      ? block.fields.map((field) => (isPackField(field) ? { ...field, optional: false } : field))
      : block.fields;
    return gridFields({ ...block, fields: known }, pricing);
  }, [block, pricing, packed]);
  const control = useColumnPlan(`${name}:${block.name}`, fields);
  const [section, size] = useElementSize<HTMLElement>();
  const cards = size.width > 0 && size.width < CARD_MAX_WIDTH;
  const visible = useMemo(
    () => control.columns.filter(({ field, visible: chosen }) => chosen && (!cards || isOnCard(field, pricing))),
    [control.columns, cards, pricing],
  );
  const columns = useMemo(() => visible.map((column) => column.field), [visible]);
  const grid = useGrid({ store, block, columns, pricing, context });
  const { state, lines, moveTo, commit, startEdit } = grid;
  const [picking, setPicking] = useState(false);
  const picks = store.grows && goodsField(block) !== undefined;

  const table = useTable({
    features: TABLE_FEATURES,
    data: lines,
    getRowId: (line: LineRow) => line.key,
    columns: useMemo(
      () => visible.map(({ field, width }) => ({ id: field.name, header: field.label, size: width })),
      [visible],
    ),
  });
  const measured: GridColumn[] = table.getAllLeafColumns().map((column, index) => ({
    field: columns[index]!,
    start: INDEX_WIDTH + column.getStart(),
    width: column.getSize(),
  }));
  const shape = measured.map((column) => `${column.field.name}:${column.width}`).join();
  // eslint-disable-next-line react-hooks/exhaustive-deps -- rows are drawn anew only when a column moves or changes width
  const stable = useMemo(() => measured, [shape, columns]);

  const short = useMemo(() => findShortages(block, lines, pricing), [block, lines, pricing]);
  const hinted = useMemo(() => [quantityField(pricing), STOCK_COLUMN.name], [pricing]);

  const height = cards ? ROW_HEIGHT * (columns.length + 1) + CARD_GAP : ROW_HEIGHT;
  const scroller = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const rows = table.getRowModel().rows;
  // eslint-disable-next-line react-hooks/incompatible-library -- known; nothing here is compiled
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 10,
    scrollPaddingStart: ROW_HEIGHT + 4,
    scrollPaddingEnd: ROW_HEIGHT * 2,
  });
  useEffect(() => virtual.measure(), [virtual, height]);

  const cell = stable[Math.min(state.col, stable.length - 1)];
  useEffect(() => {
    if (!state.focused || !cell) return;
    virtual.scrollToIndex(state.row);
    if (!cards) scrollCellIntoView(scroller.current, cell);
  }, [state.row, state.focused, cell, virtual, cards]);

  const onCell = useCallback(
    (event: MouseEvent, row: number, col: number) => {
      event.preventDefault();
      commit();
      moveTo({ row, col });
      input.current?.focus({ preventScroll: true });
    },
    // eslint-disable-next-line react-hooks/exhaustive-deps -- they only read stores
    [store, columns],
  );
  // eslint-disable-next-line react-hooks/exhaustive-deps -- it only reads stores
  const onOpen = useCallback(() => startEdit(), [store, columns]);
  const onAdd = useCallback(() => {
    moveTo({ row: store.ensureLine(store.get().length), col: Math.max(0, columns.findIndex(isStop)) });
    input.current?.focus({ preventScroll: true });
    // eslint-disable-next-line react-hooks/exhaustive-deps -- it only reads stores
  }, [store, columns]);
  // eslint-disable-next-line react-hooks/exhaustive-deps -- it only reads a store
  const activeRow = useCallback(() => grid.grid.get().row, []);
  const onRemove = useCallback((row: number) => store.remove(row), [store]);

  const width = INDEX_WIDTH + table.getTotalSize();
  const boxOf = (of: GridColumn, top: number): CellBox => {
    if (!cards) return { left: of.start, top, width: of.width, height: ROW_HEIGHT };
    return { left: NAME_WIDTH, top: top + (stable.indexOf(of) + 1) * ROW_HEIGHT, right: 0, height: ROW_HEIGHT };
  };
  return (
    <section ref={section} className={cards ? 'line-table cards' : 'line-table'} aria-label={block.label}>
      <LineToolbar
        store={store}
        block={block}
        pricing={pricing}
        control={control}
        context={context}
        onAdd={onAdd}
        activeRow={activeRow}
        picking={picking}
        onPicking={setPicking}
      />
      <Spin spinning={state.busy > 0} delay={300} className="line-grid-spin">
        <div ref={scroller} className="line-grid">
          <div
            role="grid"
            aria-label={block.label}
            aria-rowcount={rows.length + 2}
            aria-colcount={stable.length + 1}
            style={cards ? undefined : { width }}
          >
            <Heading columns={stable} onResize={control.resize} />
            <div className="grid-body" role="rowgroup" style={{ height: virtual.getTotalSize() }}>
              {virtual.getVirtualItems().map((item) => (
                <GridRow
                  key={rows[item.index]!.id}
                  index={item.index}
                  line={rows[item.index]!.original}
                  columns={stable}
                  editable={grid.editable}
                  activeColumn={item.index === state.row ? state.col : -1}
                  shortage={short.get(rows[item.index]!.original.key) ?? null}
                  pricing={pricing}
                  shortageColumns={hinted}
                  top={item.start}
                  onCell={onCell}
                  onOpen={onOpen}
                  onRemove={onRemove}
                />
              ))}
              {cell && rows.length > 0 && (
                <CellInput
                  grid={grid}
                  store={store}
                  field={cell.field}
                  anchor={input}
                  box={boxOf(cell, Math.min(state.row, rows.length - 1) * height)}
                  onKey={(event) => handleGridKey(event, grid, store, () => setPicking(picks))}
                />
              )}
            </div>
            <Sums columns={stable} lines={lines} />
          </div>
        </div>
      </Spin>
    </section>
  );
}

/** Return whether a phone's card of a line shows the field: what is keyed in, the stock, and the total. */
function isOnCard(field: Field, pricing: Pricing | null): boolean {
  return isEditable(field, pricing) || field.name === STOCK_COLUMN.name || field.name === pricing?.amount;
}

/** Sideways only; the virtual rows take care of up and down. */
function scrollCellIntoView(scroller: HTMLElement | null, cell: GridColumn): void {
  if (!scroller) return;
  const right = cell.start + cell.width;
  const left = INDEX_WIDTH + (isGoodsRef(cell.field) ? 0 : stickyWidth(scroller));
  if (cell.start < scroller.scrollLeft + left) scroller.scrollLeft = cell.start - left;
  else if (right > scroller.scrollLeft + scroller.clientWidth) scroller.scrollLeft = right - scroller.clientWidth;
}

/** Return the width of the sticky goods column, if the grid is wide enough for it. */
function stickyWidth(scroller: HTMLElement): number {
  const goods = scroller.querySelector<HTMLElement>('.grid-heading .grid-goods');
  return goods && getComputedStyle(goods).position === 'sticky' ? goods.offsetWidth : 0;
}
