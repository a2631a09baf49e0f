/**
 * Initial focus of a dialog: its `data-begins` element, else its first input, else its main button, else any control.
 * The library's own rule would focus the close button, where Enter closes what was just opened.
 */
const CLOSE_BUTTON = '.ant-modal-close, .ant-drawer-close';
const DIALOG_SELECTOR = '.ant-modal, .ant-drawer-section';
const INITIAL_FOCUS_SELECTORS = [
  '[data-begins]',
  ':is(input, textarea):not([readonly], [type=file])',
  '.ant-btn-primary',
  'button:not(.ant-modal-close, .ant-drawer-close)',
];

function moveInitialFocus({ target: cross, relatedTarget: from }: FocusEvent): void {
  if (!(cross instanceof HTMLElement) || !cross.matches(CLOSE_BUTTON)) return;
  const dialog = cross.closest<HTMLElement>(DIALOG_SELECTOR);
  // Whoever walks through a dialog reaches the cross too.
  if (dialog === null || (from instanceof Node && dialog.contains(from))) return;
  // A touch screen's keys would cover the dialog.
  const useful = window.matchMedia('(pointer: coarse)').matches
    ? []
    : INITIAL_FOCUS_SELECTORS.flatMap((wanted) => [...dialog.querySelectorAll<HTMLElement>(wanted)]);
  if (!useful.some(tryFocus)) focusDialog(dialog);
}

/** Focus a control and return whether it took the focus; disabled and invisible ones don't. */
function tryFocus(control: HTMLElement): boolean {
  control.focus({ preventScroll: true });
  return document.activeElement === control;
}

/** Focus the dialog itself if it has nothing to type into: Escape closes it, Tab leads on. */
function focusDialog(dialog: HTMLElement): void {
  if (!dialog.hasAttribute('tabindex')) dialog.tabIndex = -1;
  dialog.style.outline = 'none';
  tryFocus(dialog);
}

/** Prevent dialogs from focusing their close button; return a function that stops it. */
export function watchDialogFocus(): () => void {
  document.addEventListener('focusin', moveInitialFocus);
  return () => document.removeEventListener('focusin', moveInitialFocus);
}
