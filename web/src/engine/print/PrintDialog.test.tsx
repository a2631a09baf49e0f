import { fireEvent, screen as shown, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { watchDialogFocus } from '../../lib/dialogFocus';
import { buildBillScreen } from '../fixtures';
import { findButton, okAnswer, renderPage } from '../harness';
import PrintDialog from './PrintDialog';

const screen = buildBillScreen();
const paper = (pages: number) => okAnswer({ html: '<div class="page">XSCK9</div>', shown: 1, pages, templates: [] });

let view: ReturnType<typeof renderPage>;
let stop: () => void;
let answer: (pages: number) => void;
const print = vi.fn();
const frame = () => shown.getByTitle<HTMLIFrameElement>('打印预览');
/** The pages have come, and the browser has drawn them. */
async function draw(pages: number) {
  answer(pages);
  await waitFor(() => expect(frame().getAttribute('srcdoc')).toContain('XSCK9'));
  Object.defineProperty(frame().contentWindow, 'print', { configurable: true, value: print });
  fireEvent.load(frame());
}

beforeEach(() => {
  print.mockClear();
  stop = watchDialogFocus();
  const coming = new Promise<ReturnType<typeof paper>>((resolve) => {
    answer = (pages) => resolve(paper(pages));
  });
  view = renderPage(<PrintDialog screen={screen} ids={[9]} onClose={() => undefined} />, {
    [`${screen.api}/print`]: () => coming,
  });
});
afterEach(() => {
  stop();
  view.done();
});

it('begins at its button, which prints once the pages are there', async () => {
  // As the dialog's own rule has it.
  (document.activeElement as HTMLElement).blur();
  document.querySelector<HTMLElement>('.ant-modal-close')!.focus();
  expect(document.activeElement).toBe(findButton('打印'));
  fireEvent.click(findButton('打印')!);
  expect(print).not.toHaveBeenCalled();
  await draw(1);
  await waitFor(() => expect(print).toHaveBeenCalledTimes(1));
  fireEvent.click(findButton('打印')!);
  expect(print).toHaveBeenCalledTimes(2);
});

it('prints nothing where only some of the pages are shown', async () => {
  fireEvent.click(findButton('打印')!);
  await draw(3);
  await waitFor(() => expect(findButton('打印')).toHaveProperty('disabled', true));
  expect(print).not.toHaveBeenCalled();
});
