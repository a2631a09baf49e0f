/** What the server answers about a framed report. */
import { queryOptions } from '@tanstack/react-query';
import { api } from '@/lib/api';

export interface FrameTab {
  key: string;
  label: string;
  embed_id: string;
  /** Where the report server shows it; null when this site's hostname is not in the list of deployments. */
  address: string | null;
}

export interface ReportFrame {
  code: string;
  label: string;
  /** When the figures were published, YYYY-MM-DD HH:mm:ss. */
  refreshed_at: string | null;
  default_tab: string;
  tabs: FrameTab[];
}

export interface GuestToken {
  token: string;
  /** Seconds. */
  expires_in: number;
}

/** `values` open the report on a given value, say one article in its detail. */
export type FrameValues = Record<string, string>;

export function frameQuery(code: string, values: FrameValues) {
  return queryOptions({
    queryKey: ['report', 'frame', code, values],
    queryFn: () => api.get<ReportFrame>('v2/report/Frame/getFrame', { ...values, code }),
    staleTime: Infinity,
    meta: { quiet: true },
  });
}

/** When the newest figures were published; one answer for all reports. */
export function refreshedAtQuery() {
  return queryOptions({
    queryKey: ['report', 'refreshedAt'],
    queryFn: () => api.get<Pick<ReportFrame, 'refreshed_at'>>('v2/report/Frame/getRefreshedAt'),
    staleTime: 0,
    meta: { quiet: true },
  });
}

export function fetchGuestToken(code: string, tab: string): Promise<GuestToken> {
  return api.post<GuestToken>('v2/report/Frame/getGuestToken', { code, tab });
}

export function countVisit(code: string): Promise<unknown> {
  return api.get('v2/open/ReportStatistic/add', { code });
}
