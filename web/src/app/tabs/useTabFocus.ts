/** Restores a page's focus after it was lost: the last focused element, else its lines, else the page. */
import { useEffect, useRef, type FocusEvent } from 'react';
import { isFocusLost, onFocusLost } from '@/lib/focusLoss';
import { isDialogOpen } from '@/lib/pageShortcuts';

export function useTabFocus(active: boolean) {
  const page = useRef<HTMLElement>(null);
  const last = useRef<HTMLElement | null>(null);
  useEffect(() => {
    if (!active) return undefined;
    const take = () => {
      const here = page.current;
      if (!here || !isFocusLost() || isDialogOpen()) return false;
      const was = last.current;
      const stays = was !== null && here.contains(was) && was.offsetParent !== null && !was.matches(':disabled');
      (stays ? was : (here.querySelector<HTMLElement>('.cell-input') ?? here)).focus({ preventScroll: true });
      return true;
    };
    const onKey = (event: KeyboardEvent) => {
      const typed = !event.ctrlKey && !event.altKey && !event.metaKey && !/^(F\d+|Escape)$/.test(event.key);
      const lost = document.activeElement === document.body || document.activeElement === null;
      if (!lost || !typed || event.isComposing || !take()) return;
      // What the key does to a page by itself (scroll, type) it does to what has the focus now; a handler there has to be told.
      const again = new KeyboardEvent('keydown', event);
      if (!document.activeElement?.dispatchEvent(again)) event.preventDefault();
      event.stopPropagation();
    };
    const stop = onFocusLost(take);
    window.addEventListener('keydown', onKey, true);
    return () => {
      stop();
      window.removeEventListener('keydown', onKey, true);
    };
  }, [active]);
  const onFocus = (event: FocusEvent<HTMLElement>) => {
    if (page.current?.contains(event.target) && event.target !== page.current) last.current = event.target;
  };
  return { page, onFocus };
}
