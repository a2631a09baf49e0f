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
  tabs: FrameTab[];
}

export interface GuestToken {
  token: string;
  /** Seconds. */
  expires_in: number;
}

export function frameQuery(code: string) {
  return queryOptions({
    queryKey: ['report', 'frame', code],
    queryFn: () => api.get<ReportFrame>('v2/report/Frame/getFrame', { code }),
    meta: { quiet: true },
  });
}

export function fetchGuestToken(code: string, tab: string): Promise<GuestToken> {
  return api.post<GuestToken>('v2/report/Frame/getGuestToken', { code, tab });
}

export function countVisit(code: string): Promise<unknown> {
  return api.get('v2/open/ReportStatistic/add', { code });
}

const MONTH = '按月分析';

/** By month where there is a choice, else the first. */
export function defaultTab(tabs: readonly FrameTab[]): string {
  const month = tabs.find((tab) => tab.key === 'month' || tab.label === MONTH);
  return (month ?? tabs[0])?.key ?? '';
}
