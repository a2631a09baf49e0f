/** Queries about framed reports. */
import { queryOptions } from '@tanstack/react-query';
import type { Frame, FrameRoute, GuestToken, PublishedFigures } from '@/gen';
import { api } from '@/lib/api';

/** `values` open the report on a given value, say one article in its detail. */
export type FrameValues = Record<string, string>;

/** The code of the framed report that each of their routes opens. */
export function frameRoutesQuery() {
  return queryOptions({
    queryKey: ['report', 'routes'],
    queryFn: () => api.get<FrameRoute[]>('v2/report/Frame/getRoutes'),
    select: (routes) =>
      Object.fromEntries(routes.map(({ route, code }) => [route, code])) as Record<string, string | undefined>,
    staleTime: Infinity,
    meta: { quiet: true },
  });
}

/** `opening` tells one opening of a page from another: each asks what its filters open on. */
export function frameQuery(code: string, values: FrameValues, opening: number) {
  return queryOptions({
    queryKey: ['report', 'frame', code, values, opening],
    queryFn: () => api.get<Frame>('v2/report/Frame/getFrame', { ...values, code }),
    staleTime: Infinity,
    meta: { quiet: true },
  });
}

/** Publication time and notices of the newest figures; one answer for all reports. */
export function refreshedAtQuery() {
  return queryOptions({
    queryKey: ['report', 'refreshedAt'],
    queryFn: () => api.get<PublishedFigures>('v2/report/Frame/getRefreshedAt'),
    staleTime: 0,
    meta: { quiet: true },
  });
}

/** In busy hours figures are published every few seconds; whoever looks at the day's wants some rest between two. */
const PUBLISHED_POLL_INTERVAL = 20_000;

/** The same, polled while its page is shown. */
export function publishedQuery() {
  return { ...refreshedAtQuery(), refetchInterval: PUBLISHED_POLL_INTERVAL };
}

export function fetchGuestToken(code: string, tab: string): Promise<GuestToken> {
  return api.post<GuestToken>('v2/report/Frame/getGuestToken', { code, tab });
}
