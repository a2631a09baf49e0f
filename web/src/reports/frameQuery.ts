/** What the server answers about a framed report. */
import { queryOptions } from '@tanstack/react-query';
import type { Frame, FrameRoute, GuestToken, PublishedFigures, Recalculating } from '@/gen';
import { api } from '@/lib/api';

/** `values` open the report on a given value, say one article in its detail. */
export type FrameValues = Record<string, string>;

/** The code of the framed report that each of their routes opens. */
export function frameRoutesQuery() {
  return queryOptions({
    queryKey: ['report', 'routes'],
    queryFn: () => api.get<FrameRoute[]>('v2/report/Frame/getRoutes'),
    select: (routes) => Object.fromEntries(routes.map(({ route, code }) => [route, code])) as Record<string, string | undefined>,
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

/** When the newest figures were published, and why there are none newer; one answer for all reports. */
export function refreshedAtQuery() {
  return queryOptions({
    queryKey: ['report', 'refreshedAt'],
    queryFn: () => api.get<PublishedFigures>('v2/report/Frame/getRefreshedAt'),
    staleTime: 0,
    meta: { quiet: true },
  });
}

/** Companies within the reader's scope whose costs are being recalculated. */
export function recalculatingQuery() {
  return queryOptions({
    queryKey: ['report', 'recalculating'],
    queryFn: () => api.get<Recalculating[]>('v2/report/Frame/getRecalculating'),
    staleTime: 0,
    meta: { quiet: true },
  });
}

export function fetchGuestToken(code: string, tab: string): Promise<GuestToken> {
  return api.post<GuestToken>('v2/report/Frame/getGuestToken', { code, tab });
}
