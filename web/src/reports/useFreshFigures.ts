/** Watches when a report's figures were published, and says when its charts should be loaded anew. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { usePageActive } from '@/lib/tabs';
import { frameQuery, type ReportFrame } from './frameQuery';

const askEvery = 5_000;
const FOLLOW = 'reportFollowsData';

export interface FreshFigures {
  /** Of the newest published figures. */
  publishedAt: string | null;
  /** Of the figures on screen. */
  shownAt: string | null;
  following: boolean;
  setFollowing: (following: boolean) => void;
  refresh: () => void;
  /** Changes when the charts are to be loaded anew. */
  version: number;
}

export function useFreshFigures(frame: ReportFrame): FreshFigures {
  const active = usePageActive();
  const newest = useQuery({ ...frameQuery(frame.code), refetchInterval: active ? askEvery : false });
  const publishedAt = newest.data?.refreshed_at ?? frame.refreshed_at;
  const [shown, setShown] = useState({ at: frame.refreshed_at, version: 0 });
  const [following, setFollowing] = useState(() => localStorage.getItem(FOLLOW) !== 'false');

  if (following && active && publishedAt !== shown.at) setShown({ at: publishedAt, version: shown.version + 1 });

  return {
    publishedAt,
    shownAt: shown.at,
    following,
    setFollowing: (next) => {
      localStorage.setItem(FOLLOW, String(next));
      setFollowing(next);
    },
    refresh: () => setShown({ at: publishedAt, version: shown.version + 1 }),
    version: shown.version,
  };
}
