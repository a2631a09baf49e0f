import { queryOptions } from '@tanstack/react-query';
import type { Awaiting, PendingApproval, PendingItem } from '@/gen';
import { api } from '@/lib/api';

export type { PendingApproval, PendingItem };

const ASK_EVERY = 120_000;

export function pendingQuery() {
  return queryOptions({
    queryKey: ['pending'],
    queryFn: () => api.get<PendingItem[]>('v2/open/Message/getPendingMessage'),
    refetchInterval: ASK_EVERY,
    meta: { quiet: true },
  });
}

/** What waits, by type, for the home page. */
export function awaitQuery() {
  return queryOptions({
    queryKey: ['pending', 'awaiting'],
    queryFn: () => api.get<Awaiting[]>('v2/system/Console/getAwaitList'),
    refetchInterval: ASK_EVERY,
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

/** How many bills and items wait in all of some lines. */
export function waiting(lines: readonly { count: number }[]): number {
  return lines.reduce((sum, { count }) => sum + count, 0);
}

/** What waits, without how much of it. */
export function withoutCount(text: string): string {
  return text.replace(/^\d+ [张种个]/, '');
}
