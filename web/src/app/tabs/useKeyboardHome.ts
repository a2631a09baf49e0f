/** A page whose focus was lost takes the keyboard back: where it was last, else in its lines, else itself. */
import { useEffect, useRef, type FocusEvent } from 'react';
import { isKeyboardFree, onKeyboardFree } from '@/lib/keyboard';
import { isDialogOpen } from '@/lib/pageKeys';

export function useKeyboardHome(active: boolean) {
  const page = useRef<HTMLElement>(null);
  const last = useRef<HTMLElement | null>(null);
  useEffect(() => {
    if (!active) return undefined;
    const take = () => {
      const here = page.current;
      if (!here || !isKeyboardFree() || isDialogOpen()) return false;
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
    const stop = onKeyboardFree(take);
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
