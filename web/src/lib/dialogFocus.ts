/**
 * Where a dialog begins: where it says (`data-begins`), else in what is typed into, else at its main button, else at
 * whatever it has. The dialogs' own rule is the first of all, which is the cross, where Enter closes what was just opened.
 */
const CROSS = '.ant-modal-close, .ant-drawer-close';
const DIALOG = '.ant-modal, .ant-drawer-section';
const IN_TURN = [
  '[data-begins]',
  ':is(input, textarea):not([readonly], [type=file])',
  '.ant-btn-primary',
  'button:not(.ant-modal-close, .ant-drawer-close)',
];

function begin({ target: cross, relatedTarget: from }: FocusEvent): void {
  if (!(cross instanceof HTMLElement) || !cross.matches(CROSS)) return;
  const dialog = cross.closest<HTMLElement>(DIALOG);
  // Whoever walks through a dialog reaches the cross too.
  if (dialog === null || (from instanceof Node && dialog.contains(from))) return;
  // A touch screen's keys would cover the dialog.
  const useful = window.matchMedia('(pointer: coarse)').matches ? [] : IN_TURN.flatMap((wanted) => [...dialog.querySelectorAll<HTMLElement>(wanted)]);
  if (!useful.some(takes)) rest(dialog);
}

/** What is disabled or out of sight takes nothing. */
function takes(control: HTMLElement): boolean {
  control.focus({ preventScroll: true });
  return document.activeElement === control;
}

/** A dialog that is only read, or still loads, has the keyboard as a whole: Escape closes it, Tab leads on. */
function rest(dialog: HTMLElement): void {
  if (!dialog.hasAttribute('tabindex')) dialog.tabIndex = -1;
  dialog.style.outline = 'none';
  takes(dialog);
}

/** From now on no dialog begins at its cross. */
export function followDialogs(): () => void {
  document.addEventListener('focusin', begin);
  return () => document.removeEventListener('focusin', begin);
}
