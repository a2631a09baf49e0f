import { act, cleanup, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, expect, it } from 'vitest';
import { useRestoreFocus } from './useRestoreFocus';

afterEach(cleanup);

function Dialog({ elsewhere = false }: { elsewhere?: boolean }) {
  useRestoreFocus();
  return elsewhere ? null : <input aria-label="inside" autoFocus />;
}

function Page({ elsewhere }: { elsewhere?: boolean }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <input aria-label="cell" onKeyDown={() => setOpen(!open)} />
      <input aria-label="other" onFocus={() => setOpen(false)} />
      {open && <Dialog elsewhere={elsewhere} />}
    </>
  );
}

const later = () => act(() => new Promise((done) => setTimeout(done, 5)));

it('gives the keyboard back to the cell that the dialog was opened from', async () => {
  render(<Page />);
  const cell = screen.getByLabelText('cell');
  cell.focus();
  act(() => void cell.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true })));
  expect(document.activeElement).toBe(screen.getByLabelText('inside'));
  act(() => void cell.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true })));
  await later();
  expect(document.activeElement).toBe(cell);
});

it('takes it from nobody who has it by then', async () => {
  render(<Page elsewhere />);
  const cell = screen.getByLabelText('cell');
  cell.focus();
  act(() => void cell.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true })));
  act(() => screen.getByLabelText('other').focus());
  await later();
  expect(document.activeElement).toBe(screen.getByLabelText('other'));
});
