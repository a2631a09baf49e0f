import { useQueryClient } from '@tanstack/react-query';
import { reportError, showMessage } from '../../lib/errors';
import { recallNeighbours } from '../list/listState';
import { listQuery } from '../queries';
import { findAction, recordKey, type Screen } from '../types';

const SCAN_LIMIT = 100;

/** Leads to the bill that waits for its audit next: behind the present one in the list it was opened from, or the first of that list. */
export function useNextPending(screen: Screen, open: (id: number) => void): ((from: number | null) => void) | null {
  const client = useQueryClient();
  const waiting = findAction(screen, 'auditorPass')?.from;
  if (!waiting || !screen.status_field || screen.family !== 'bill') return null;
  const status = screen.status_field;
  const lead = async (from: number | null) => {
    const list = recallNeighbours(screen);
    const pendingQuery = { ...list?.query, [status]: waiting.join(','), page: 1, per_page: SCAN_LIMIT };
    const { data } = await client.fetchQuery({ ...listQuery(screen, pendingQuery), staleTime: 0 });
    const ids = data.map((row) => recordKey(screen, row)).filter((id) => id !== from);
    const order = list?.ids ?? [];
    const here = from === null ? -1 : order.indexOf(from);
    const behind = ids.find((id) => order.indexOf(id) > here);
    const next = behind ?? ids[0];
    if (next === undefined) showMessage('info', `没有待审核的${screen.label}`);
    else open(next);
  };
  return (from) => void lead(from).catch(reportError);
}
