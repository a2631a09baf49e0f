/** Polls the publication time of a report's figures and reports newer ones. */
import { useEffect, useState } from 'react';
import type { Frame } from '@/gen';
import { machineTime } from '@/lib/businessClock';
import { useQuery } from '@/lib/query';
import { usePageActive } from '@/lib/tabs';
import { refreshedAtQuery } from './frameQuery';

const POLL_INTERVAL = 3_000;
/** In busy hours figures are published every few seconds; a reader wants some rest between two of them. */
const MIN_REFRESH_INTERVAL = 15_000;
const FOLLOW_SLOT = 'reportFollowsData';

export interface FreshFigures {
  /** Publication time of the newest figures. */
  publishedAt: string | null;
  /** Publication time of the figures of each version. */
  versions: (string | null)[];
  /** Notices about the newest figures. */
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
  const newest = useQuery({ ...refreshedAtQuery(), refetchInterval: active ? POLL_INTERVAL : false });
  const publishedAt = newest.data?.refreshed_at ?? frame.refreshed_at;
  const [known, setKnown] = useState({ versions: [publishedAt], since: 0 });
  const [following, setFollowing] = useState(() => localStorage.getItem(FOLLOW_SLOT) !== 'false');
  const version = known.versions.length - 1;

  useEffect(() => {
    if (!following || !active || publishedAt === known.versions.at(-1)) return;
    const wait = Math.max(known.since + MIN_REFRESH_INTERVAL - machineTime(), 0);
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
      localStorage.setItem(FOLLOW_SLOT, String(next));
      setFollowing(next);
    },
    refresh: () => {
      setKnown({ versions: [...known.versions, publishedAt], since: machineTime() });
      return known.versions.length;
    },
    version,
  };
}
