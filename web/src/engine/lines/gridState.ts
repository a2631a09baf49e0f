import type { Cursor } from './gridColumns';

/** Where the grid's input stands and what is being typed into it. */
export interface GridState extends Cursor {
  /** Null while moving between cells; `type` replaces the cell, `edit` (F2) goes on from its value. */
  editing: { text: string; mode: 'type' | 'edit' } | null;
  open: boolean;
  /** The choice marked by hand, -1 for none. */
  highlight: number;
  /** What is searched at once in place of the typed text. */
  flushed: string | null;
  focused: boolean;
  /** Look-ups under way. */
  busy: number;
}

export const START: GridState = { row: 0, col: 0, editing: null, open: false, highlight: -1, flushed: null, focused: false, busy: 0 };

/** An input method is at work: its keys, Enter above all, are not the grid's. 229 is what Chinese ones send. */
export function isImeKey(event: { nativeEvent: KeyboardEvent; keyCode: number }): boolean {
  return event.nativeEvent.isComposing || event.keyCode === 229;
}
