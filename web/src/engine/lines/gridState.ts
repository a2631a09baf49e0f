import type { Cursor } from './gridColumns';

/** Position of the grid's input and the text typed into it. */
export interface GridState extends Cursor {
  /** Null while moving between cells; `type` replaces the cell, `edit` (F2) goes on from its value. */
  editing: { text: string; mode: 'type' | 'edit' } | null;
  open: boolean;
  /** The choice marked by hand, -1 for none. */
  highlight: number;
  /** Keyword searched at once, in place of the debounced text. */
  immediateKeyword: string | null;
  focused: boolean;
  /** Look-ups under way. */
  busy: number;
}

export const INITIAL_GRID_STATE: GridState = {
  row: 0,
  col: 0,
  editing: null,
  open: false,
  highlight: -1,
  immediateKeyword: null,
  focused: false,
  busy: 0,
};

/** An input method is at work: its keys, Enter above all, are not the grid's. 229 is what Chinese ones send. */
export function isImeKey(event: { nativeEvent: KeyboardEvent; keyCode: number }): boolean {
  return event.nativeEvent.isComposing || event.keyCode === 229;
}
