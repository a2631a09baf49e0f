/** Brings what the server keeps for the user into this browser: columns of his tables, and the schemes lists open with. */
import { queryOptions } from '@tanstack/react-query';
import { listPreferences } from '@/lib/preferences';
import { useQuery } from '@/lib/query';
import type { Session } from '@/lib/session';
import { readStored, writeStored } from '@/lib/stored';

const BROUGHT = 'brought';

export function keptQuery(session: Session) {
  return queryOptions({
    queryKey: ['preferences', 'kept', session.user_id],
    queryFn: async () => {
      await bringPreferences();
      return writeStored(BROUGHT, true);
    },
    staleTime: Infinity,
    meta: { quiet: true },
  });
}

/** Whether lists may open: a browser that is new to the user waits for his copies, any other goes by its own till they come. */
export function useKept(session: Session): boolean {
  const { isPending } = useQuery(keptQuery(session));
  return !isPending || readStored(BROUGHT) !== null;
}

async function bringPreferences(): Promise<void> {
  const [columns, schemes] = await Promise.all([listPreferences('columns'), listPreferences('scheme')]);
  for (const { screen, value } of columns) writeStored(`columns:${screen}`, value);
  for (const { screen, value, is_default } of schemes) if (is_default) writeStored(`scheme:${screen}`, value);
}
