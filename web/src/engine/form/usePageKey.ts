import { useEffect } from 'react';

export const isSave = (event: KeyboardEvent) => (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 's';
/** Beside the grid's own Alt+1 to Alt+4. */
export const isRecall = (event: KeyboardEvent) => event.altKey && event.code === 'Digit5';

/** A key anywhere on the page, while `on`. */
export function usePageKey(on: boolean, isKey: (event: KeyboardEvent) => boolean, act: () => void): void {
  useEffect(() => {
    if (!on) return undefined;
    const onKey = (event: KeyboardEvent) => {
      if (!isKey(event)) return;
      event.preventDefault();
      act();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [on, isKey, act]);
}
