import { useState } from 'react';
import { useQuery } from '@/lib/query';
import { recallNeighbours, rememberNeighbours } from '../list/listState';
import { listQuery } from '../queries';
import { recordKey, type Screen } from '../types';

interface NeighbourNavigation {
  previous: number | null;
  next: number | null;
  /** To be called on stepping to one of them: beyond a page's edge, the page there is the list one is in. */
  step: (id: number) => void;
}

/** The records before and after this one in the list it was opened from, across its pages. */
export function useNeighbours(screen: Screen, id: number): NeighbourNavigation {
  const [from] = useState(() => recallNeighbours(screen));
  const ids = from?.ids ?? [];
  const at = ids.indexOf(id);
  const page = Number(from?.query.page ?? 1);
  const before = useAdjacentPage(screen, from?.query, page - 1, at === 0 && page > 1);
  const after = useAdjacentPage(screen, from?.query, page + 1, at >= 0 && at === ids.length - 1);
  const first = after?.rows[0];
  const last = before?.rows.at(-1);
  if (at < 0) return { previous: null, next: null, step: () => undefined };
  return {
    previous: ids[at - 1] ?? (last ? recordKey(screen, last) : null),
    next: ids[at + 1] ?? (first ? recordKey(screen, first) : null),
    step: (to) => {
      const edge = ids.includes(to)
        ? null
        : [before, after].find((one) => one?.rows.some((row) => recordKey(screen, row) === to));
      if (edge) rememberNeighbours(screen, edge.query, edge.rows);
    },
  };
}

function useAdjacentPage(screen: Screen, base: object | undefined, page: number, wanted: boolean) {
  const query = { ...base, page };
  const { data } = useQuery({
    ...listQuery(screen, query),
    enabled: wanted,
    placeholderData: undefined,
    meta: { quiet: true },
  });
  return wanted && data?.current_page === page ? { query, rows: data.data } : null;
}
