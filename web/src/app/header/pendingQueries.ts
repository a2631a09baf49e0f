import { queryOptions } from '@tanstack/react-query';
import type { Awaiting, PendingApproval, PendingItem } from '@/gen';
import { api } from '@/lib/api';

export type { PendingApproval, PendingItem };

const POLL_INTERVAL = 120_000;

export function pendingQuery() {
  return queryOptions({
    queryKey: ['pending'],
    queryFn: () => api.get<PendingItem[]>('v2/open/Message/getPendingMessage'),
    refetchInterval: POLL_INTERVAL,
    meta: { quiet: true },
  });
}

/** Pending items by type, for the home page. */
export function pendingByTypeQuery() {
  return queryOptions({
    queryKey: ['pending', 'awaiting'],
    queryFn: () => api.get<Awaiting[]>('v2/system/Console/getAwaitList'),
    refetchInterval: POLL_INTERVAL,
    meta: { quiet: true },
  });
}

export function approvalsQuery() {
  return queryOptions({
    queryKey: ['pending', 'approvals'],
    queryFn: () => api.get<PendingApproval[]>('v2/open/Message/getMessageList'),
    staleTime: 0,
    meta: { quiet: true },
  });
}

/** Sum the bills and items that are pending. */
export function sumWaiting(lines: readonly { count: number }[]): number {
  return lines.reduce((sum, { count }) => sum + count, 0);
}

/** Return a pending item's text without its leading count. */
export function stripCount(text: string): string {
  return text.replace(/^\d+ [张种个]/, '');
}
