/** Loads the user's preferences from the server into this browser: columns of tables, and default schemes of lists. */
import { queryOptions } from '@tanstack/react-query';
import { listPreferences } from '@/lib/preferences';
import { useQuery } from '@/lib/query';
import type { Session } from '@/lib/session';
import { readSlot, writeSlot } from '@/lib/localStorageSlot';

const LOADED_SLOT = 'brought';

export function preferencesQuery(session: Session) {
  return queryOptions({
    queryKey: ['preferences', 'kept', session.user_id],
    queryFn: async () => {
      await loadPreferences();
      return writeSlot(LOADED_SLOT, true);
    },
    staleTime: Infinity,
    meta: { quiet: true },
  });
}

/**
 * Return whether lists may open. A browser that is new to the user waits for the server's preferences; any other uses
 * its own copies until they arrive.
 */
export function usePreferencesReady(session: Session): boolean {
  const { isPending } = useQuery(preferencesQuery(session));
  return !isPending || readSlot(LOADED_SLOT) !== null;
}

async function loadPreferences(): Promise<void> {
  const [columns, schemes] = await Promise.all([listPreferences('columns'), listPreferences('scheme')]);
  for (const { screen, value } of columns) writeSlot(`columns:${screen}`, value);
  for (const { screen, value, is_default } of schemes) if (is_default) writeSlot(`scheme:${screen}`, value);
}
