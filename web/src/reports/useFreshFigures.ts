/** Watches when a report's figures were published, and says when its charts should be loaded anew. */
import { useEffect, useState } from 'react';
import type { Frame } from '@/gen';
import { machineTime } from '@/lib/businessClock';
import { useQuery } from '@/lib/query';
import { usePageActive } from '@/lib/tabs';
import { refreshedAtQuery } from './frameQuery';

const askEvery = 3_000;
/** In busy hours figures are published every few seconds; a reader wants some rest between two of them. */
const restBetween = 15_000;
const FOLLOW = 'reportFollowsData';

export interface FreshFigures {
  /** Of the newest published figures. */
  publishedAt: string | null;
  /** Of the figures on screen. */
  shownAt: string | null;
  /** What to know of the newest ones. */
  notices: string[];
  following: boolean;
  setFollowing: (following: boolean) => void;
  refresh: () => void;
  /** Grows when the charts are to be loaded anew. */
  version: number;
}

export function useFreshFigures(frame: Frame): FreshFigures {
  const active = usePageActive();
  const newest = useQuery({ ...refreshedAtQuery(), refetchInterval: active ? askEvery : false });
  const publishedAt = newest.data?.refreshed_at ?? frame.refreshed_at;
  const [shown, setShown] = useState({ publishedAt, version: 0, since: 0 });
  const [following, setFollowing] = useState(() => localStorage.getItem(FOLLOW) !== 'false');

  useEffect(() => {
    if (!following || !active || publishedAt === shown.publishedAt) return;
    const wait = Math.max(shown.since + restBetween - machineTime(), 0);
    const timer = window.setTimeout(
      () => setShown({ publishedAt, version: shown.version + 1, since: machineTime() }),
      wait,
    );
    return () => window.clearTimeout(timer);
  }, [following, active, publishedAt, shown]);

  return {
    publishedAt,
    shownAt: shown.publishedAt,
    notices: newest.data?.notices ?? [],
    following,
    setFollowing: (next) => {
      localStorage.setItem(FOLLOW, String(next));
      setFollowing(next);
    },
    refresh: () => setShown({ publishedAt, version: shown.version + 1, since: machineTime() }),
    version: shown.version,
  };
}
