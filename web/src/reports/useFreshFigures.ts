/** Watches when a report's figures were published, and says when newer ones are to be had. */
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
  /** When the figures of each version were published. */
  versions: (string | null)[];
  /** What to know of the newest ones. */
  notices: string[];
  following: boolean;
  setFollowing: (following: boolean) => void;
  /** A version of its own, of the newest figures: answers its number. */
  refresh: () => number;
  /** Grows when frames may be loaded anew. */
  version: number;
}

export function useFreshFigures(frame: Frame): FreshFigures {
  const active = usePageActive();
  const newest = useQuery({ ...refreshedAtQuery(), refetchInterval: active ? askEvery : false });
  const publishedAt = newest.data?.refreshed_at ?? frame.refreshed_at;
  const [known, setKnown] = useState({ versions: [publishedAt], since: 0 });
  const [following, setFollowing] = useState(() => localStorage.getItem(FOLLOW) !== 'false');
  const version = known.versions.length - 1;

  useEffect(() => {
    if (!following || !active || publishedAt === known.versions.at(-1)) return;
    const wait = Math.max(known.since + restBetween - machineTime(), 0);
    const timer = window.setTimeout(
      () => setKnown({ versions: [...known.versions, publishedAt], since: machineTime() }),
      wait,
    );
    return () => window.clearTimeout(timer);
  }, [following, active, publishedAt, known]);

  return {
    publishedAt,
    versions: known.versions,
    notices: newest.data?.notices ?? [],
    following,
    setFollowing: (next) => {
      localStorage.setItem(FOLLOW, String(next));
      setFollowing(next);
    },
    refresh: () => {
      setKnown({ versions: [...known.versions, publishedAt], since: machineTime() });
      return known.versions.length;
    },
    version,
  };
}
