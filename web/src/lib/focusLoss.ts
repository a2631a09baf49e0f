/** Loss of focus: handling by a page once the focused button, row or notice has gone. */

const FOCUS_LOST_EVENT = 'keyboard-free';

/** Return whether no visible element has the focus; false on touch screens, whose keyboard would cover the page. */
export function isFocusLost(): boolean {
  const focused = document.activeElement;
  const lost =
    !(focused instanceof HTMLElement) ||
    focused === document.body ||
    focused.offsetParent === null ||
    focused.matches(':disabled');
  return lost && !window.matchMedia?.('(pointer: coarse)').matches;
}

/** Notify the visible page that the focus was lost. */
export function dispatchFocusLost(): void {
  window.dispatchEvent(new Event(FOCUS_LOST_EVENT));
}

export function onFocusLost(take: () => void): () => void {
  window.addEventListener(FOCUS_LOST_EVENT, take);
  return () => window.removeEventListener(FOCUS_LOST_EVENT, take);
}
