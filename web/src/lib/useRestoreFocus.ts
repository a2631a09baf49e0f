import { useEffect, useState } from 'react';
import { dispatchFocusLost } from './focusLoss';

/** A dialog that goes gives the keyboard back to where it was when the dialog came, or else to the page. */
export function useRestoreFocus(): void {
  // Read while rendering: once it is drawn, the dialog's own field has the focus.
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      setTimeout(() => {
        const lost = document.activeElement === null || document.activeElement === document.body;
        if (lost && before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
        dispatchFocusLost();
      });
    },
    [before],
  );
}
