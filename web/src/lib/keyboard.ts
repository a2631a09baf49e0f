/** Where the keyboard is: what a page does once the focus was lost with the button, row or notice that had it. */

const FREE = 'keyboard-free';

/** Nobody has the focus, but what is out of sight by now; a touch screen's keys would cover the page. */
export function isKeyboardFree(): boolean {
  const held = document.activeElement;
  const lost = !(held instanceof HTMLElement) || held === document.body || held.offsetParent === null || held.matches(':disabled');
  return lost && !window.matchMedia?.('(pointer: coarse)').matches;
}

/** Tells the page in sight that nobody has the keyboard any more. */
export function freeKeyboard(): void {
  window.dispatchEvent(new Event(FREE));
}

export function onKeyboardFree(take: () => void): () => void {
  window.addEventListener(FREE, take);
  return () => window.removeEventListener(FREE, take);
}
