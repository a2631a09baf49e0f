import { fireEvent, render } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { BILL_SHORTCUTS, keyCombo, GRID_SHORTCUTS, usePageShortcut, type BillShortcut } from './pageShortcuts';

function Page({ name, act, inDialog }: { name: BillShortcut; act: () => void; inDialog?: boolean }) {
  usePageShortcut(name, true, act, inDialog);
  return null;
}

afterEach(() => document.body.replaceChildren());

it('one key does one thing', () => {
  const combos = [...Object.values(BILL_SHORTCUTS), ...Object.values(GRID_SHORTCUTS)].map(({ combo }) => combo);
  expect(new Set(combos).size).toBe(combos.length);
});

it('goes by the place of a letter, whatever an input method or a layout makes of it', () => {
  expect(keyCombo(new KeyboardEvent('keydown', { key: 'ñ', code: 'KeyN', altKey: true }))).toBe('Alt+N');
  expect(keyCombo(new KeyboardEvent('keydown', { key: 's', code: 'KeyS', metaKey: true }))).toBe('Ctrl+S');
  expect(keyCombo(new KeyboardEvent('keydown', { key: 'F8', code: 'F8', shiftKey: true }))).toBe('Shift+F8');
});

it('is heard by the page that came last, once for a key that is held down, and no more once the page has gone', () => {
  const [under, over] = [vi.fn(), vi.fn()];
  const first = render(<Page name="audit" act={under} />);
  const second = render(<Page name="audit" act={over} />);
  fireEvent.keyDown(document.body, { key: 'F8', code: 'F8' });
  fireEvent.keyDown(document.body, { key: 'F8', code: 'F8', repeat: true });
  expect([under.mock.calls.length, over.mock.calls.length]).toEqual([0, 1]);
  second.unmount();
  fireEvent.keyDown(document.body, { key: 'F8', code: 'F8' });
  expect(under).toHaveBeenCalledTimes(1);
  first.unmount();
  expect(fireEvent.keyDown(document.body, { key: 'F8', code: 'F8' })).toBe(true);
});

it('stays with the dialog that lies over a page', () => {
  const [page, dialog] = [vi.fn(), vi.fn()];
  render(<Page name="save" act={page} />);
  const wrap = document.createElement('div');
  wrap.className = 'ant-modal-wrap';
  document.body.append(wrap);
  fireEvent.keyDown(document.body, { key: 's', code: 'KeyS', ctrlKey: true });
  expect(page).not.toHaveBeenCalled();
  render(<Page name="save" act={dialog} inDialog />);
  fireEvent.keyDown(document.body, { key: 's', code: 'KeyS', ctrlKey: true });
  expect(dialog).toHaveBeenCalledTimes(1);
  wrap.style.display = 'none';
  fireEvent.keyDown(document.body, { key: 's', code: 'KeyS', ctrlKey: true });
  expect([page.mock.calls.length, dialog.mock.calls.length]).toEqual([0, 2]);
});
