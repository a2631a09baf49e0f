import { useId, type ClipboardEvent, type KeyboardEvent, type RefObject } from 'react';
import { isNumberType } from '../../lib/validation';
import { formatField, isRightAligned } from '../fields/fieldValue';
import type { Field } from '../types';
import { ChoiceList } from './ChoiceList';
import { isImeKey } from './gridState';
import { isTable, parseTsv } from './tsv';
import { isChoiceField, isGoodsRef } from './useChoices';
import type { LineStore } from './lineStore';
import type { Grid } from './useGrid';

/** Position of the active cell within the rows. */
export interface CellBox {
  left: number;
  top: number;
  height: number;
  width?: number;
  right?: number;
}

interface CellInputProps {
  grid: Grid;
  store: LineStore;
  field: Field;
  anchor: RefObject<HTMLInputElement | null>;
  box: CellBox;
  onKey: (event: KeyboardEvent<HTMLInputElement>) => void;
}

/**
 * The one input of the grid. It lies over the active cell and always holds the focus, invisible until something is
 * typed: so an input method composes in it from the first letter, and no cell has to become an input first.
 */
export function CellInput({ grid, store, field, anchor, box, onKey }: CellInputProps) {
  const id = useId();
  const { state } = grid;
  const choice = isChoiceField(field) && grid.editable[state.col] === true;
  const listed = choice && state.open && state.editing !== null;
  const line = grid.lines[state.row];
  const copy = (event: ClipboardEvent<HTMLInputElement>) => {
    if (state.editing !== null || !line) return;
    event.preventDefault();
    event.clipboardData.setData('text/plain', formatField(field, line.values));
  };
  const paste = (event: ClipboardEvent<HTMLInputElement>) => {
    const text = event.clipboardData.getData('text/plain');
    if (!isTable(parseTsv(text))) return;
    event.preventDefault();
    store.track(grid.paste(text));
  };
  return (
    <>
      <input
        ref={anchor}
        className={['cell-input', state.editing ? 'editing' : '', isRightAligned(field) ? 'figure' : ''].join(' ')}
        style={box}
        value={state.editing?.text ?? ''}
        autoComplete="off"
        inputMode={isNumberType(field.type) ? 'decimal' : undefined}
        spellCheck={false}
        role={choice ? 'combobox' : 'textbox'}
        aria-label={`第${state.row + 1}行 ${field.label}`}
        aria-expanded={choice ? listed : undefined}
        aria-controls={listed ? id : undefined}
        aria-activedescendant={listed ? `${id}-${Math.max(0, state.highlight)}` : undefined}
        aria-readonly={!grid.editable[state.col]}
        onChange={(event) => grid.type(event.target.value)}
        onKeyDown={(event) => {
          if (!isImeKey(event)) onKey(event);
        }}
        onCopy={copy}
        onPaste={paste}
        onFocus={() => grid.change({ focused: true })}
        onBlur={() => {
          if (grid.grid.get().editing !== null) grid.commit();
          grid.change({ focused: false, open: false });
        }}
      />
      {listed && (
        <ChoiceList
          id={id}
          anchor={anchor}
          choices={grid.choices}
          highlight={state.highlight}
          goods={isGoodsRef(field)}
          onPick={grid.pick}
        />
      )}
    </>
  );
}
