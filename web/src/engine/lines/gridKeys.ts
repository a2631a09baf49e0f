import type { KeyboardEvent } from 'react';
import { keyCombo, GRID_SHORTCUTS } from '../../lib/pageShortcuts';
import type { LineStore } from './lineStore';
import type { Grid } from './useGrid';

/** Rows of a page up or down. */
const PAGE_ROWS = 15;

/** Alt with a digit: neither browsers nor input methods take these. */
const FIGURE_BY_COMBO: Partial<Record<string, 'quantity' | 'price' | 'discount'>> = {
  [GRID_SHORTCUTS.quantity.combo]: 'quantity',
  [GRID_SHORTCUTS.price.combo]: 'price',
  [GRID_SHORTCUTS.discount.combo]: 'discount',
};

/** The grid's keyboard. What it doesn't take (Ctrl+S above all) goes on to the form. */
export function handleGridKey(
  event: KeyboardEvent<HTMLInputElement>,
  grid: Grid,
  store: LineStore,
  pickGoods: () => void,
): void {
  const control = event.ctrlKey || event.metaKey;
  const handled = control
    ? handleControlKey(event, grid, store)
    : (event.altKey && handleAltKey(event, grid, pickGoods)) || handlePlainKey(event, grid);
  if (handled) {
    event.preventDefault();
    event.stopPropagation();
  }
}

function handleControlKey(event: KeyboardEvent, grid: Grid, store: LineStore): boolean {
  const { row, col, editing } = grid.grid.get();
  const last = store.get().length - 1;
  switch (event.key) {
    case 's':
    case 'S':
      grid.commit();
      return false;
    case 'd':
    case 'D':
      grid.copyAbove();
      return true;
    case 'Enter':
      grid.nextLine();
      return true;
    case 'Delete':
      store.remove(row);
      grid.moveTo({ row: Math.min(row, Math.max(0, last - 1)), col });
      return true;
    case 'Insert':
    case 'i':
      if (!store.grows) return true;
      store.insert(row);
      grid.moveTo({ row, col: Math.max(0, grid.editable.indexOf(true)) });
      return true;
    case 'Home':
    case 'End':
      if (editing) return false;
      grid.moveTo({ row: event.key === 'Home' ? 0 : last, col });
      return true;
    default:
      return false;
  }
}

function handleAltKey(event: KeyboardEvent, grid: Grid, pickGoods: () => void): boolean {
  const combo = keyCombo(event.nativeEvent);
  const figure = FIGURE_BY_COMBO[combo];
  if (figure) grid.goTo(figure);
  else if (combo === GRID_SHORTCUTS.goods.combo) pickGoods();
  return figure !== undefined || combo === GRID_SHORTCUTS.goods.combo;
}

function handlePlainKey(event: KeyboardEvent<HTMLInputElement>, grid: Grid): boolean {
  const { editing, open } = grid.grid.get();
  if (editing && open && handleListKey(event, grid)) return true;
  if (editing) return handleEditingKey(event, grid);
  return handleMovementKey(event, grid);
}

function handleListKey(event: KeyboardEvent, grid: Grid): boolean {
  const { highlight } = grid.grid.get();
  const last = grid.choices.list.length - 1;
  const mark = (index: number) => grid.change({ highlight: Math.max(0, Math.min(last, index)) });
  switch (event.key) {
    case 'ArrowDown':
      if (highlight >= last - 5) grid.choices.loadMore();
      mark(Math.max(0, highlight) + (highlight < 0 && last > 0 ? 1 : highlight < 0 ? 0 : 1));
      return true;
    case 'ArrowUp':
      mark(highlight - 1);
      return true;
    case 'PageDown':
      mark(highlight + 8);
      return true;
    case 'PageUp':
      mark(highlight - 8);
      return true;
    default:
      return false;
  }
}

function handleEditingKey(event: KeyboardEvent<HTMLInputElement>, grid: Grid): boolean {
  const { editing, row, col } = grid.grid.get();
  const input = event.currentTarget;
  switch (event.key) {
    case 'Enter':
      grid.enter();
      return true;
    case 'Tab':
      if (!event.shiftKey) grid.enter(grid.editable);
      else if (grid.commit()) grid.retreat();
      return true;
    case 'Escape':
      grid.moveTo({ row, col });
      return true;
    case 'ArrowUp':
    case 'ArrowDown':
      if (grid.commit()) moveBy(grid, event.key === 'ArrowUp' ? -1 : 1, 0);
      return true;
    case 'ArrowLeft':
      if (editing?.mode === 'edit' || input.selectionEnd !== 0) return false;
      if (grid.commit()) moveBy(grid, 0, -1);
      return true;
    case 'ArrowRight':
      if (editing?.mode === 'edit' || input.selectionStart !== input.value.length) return false;
      if (grid.commit()) moveBy(grid, 0, 1);
      return true;
    default:
      return false;
  }
}

function handleMovementKey(event: KeyboardEvent, grid: Grid): boolean {
  const { row } = grid.grid.get();
  const lastColumn = grid.editable.length - 1;
  switch (event.key) {
    case 'Enter':
      grid.advance();
      return true;
    case 'Tab':
      if (event.shiftKey) grid.retreat();
      else grid.advance(grid.editable);
      return true;
    case 'ArrowDown':
      if (event.altKey) grid.startEdit();
      else moveBy(grid, 1, 0);
      return true;
    case 'ArrowUp':
      moveBy(grid, -1, 0);
      return true;
    case 'ArrowLeft':
      moveBy(grid, 0, -1);
      return true;
    case 'ArrowRight':
      moveBy(grid, 0, 1);
      return true;
    case 'PageDown':
      moveBy(grid, PAGE_ROWS, 0);
      return true;
    case 'PageUp':
      moveBy(grid, -PAGE_ROWS, 0);
      return true;
    case 'Home':
      grid.moveTo({ row, col: 0 });
      return true;
    case 'End':
      grid.moveTo({ row, col: lastColumn });
      return true;
    case 'F2':
      grid.startEdit();
      return true;
    case 'Delete':
    case 'Backspace':
      grid.clear();
      return true;
    case ' ':
      if (!grid.isToggle()) return false;
      grid.toggle();
      return true;
    default:
      return false;
  }
}

function moveBy(grid: Grid, rows: number, columns: number): void {
  const { row, col } = grid.grid.get();
  const within = (value: number, last: number) => Math.max(0, Math.min(last, value));
  grid.moveTo({ row: within(row + rows, grid.count() - 1), col: within(col + columns, grid.editable.length - 1) });
}
