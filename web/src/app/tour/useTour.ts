/** Guided tour of the shell: for users marked by company_admin_id at their first home page, and on request. */
import { useCallback, useEffect, useState } from 'react';
import { listPreferences, savePreference } from '@/lib/preferences';
import type { Session } from '@/lib/session';

const TOUR_SCREEN = 'tour';
const TOUR_NAME = 'shell';

export function useTour(session: Session, home: boolean) {
  const [open, setOpen] = useState(false);
  const [known, setKnown] = useState(false);
  // Nobody is led in another's name.
  const marked = session.company_admin_id !== null && session.imitator === null;

  useEffect(() => {
    if (!marked || !home) return;
    let left = false;
    listPreferences('seen', TOUR_SCREEN, TOUR_NAME)
      .then((seen) => {
        if (!left && seen.length === 0) setOpen(true);
      })
      .catch(() => undefined)
      .finally(() => setKnown(true));
    return () => {
      left = true;
    };
  }, [marked, home]);

  const start = useCallback(() => setOpen(true), []);
  const end = () => {
    setOpen(false);
    // Unsaved, he is only offered it once more.
    savePreference('seen', TOUR_SCREEN, TOUR_NAME, true).catch(() => undefined);
  };
  /** Until it is known whether he is led, what else would open waits as well. */
  const pending = open || (marked && home && !known);
  return { open, pending, end, start: marked ? start : undefined };
}
