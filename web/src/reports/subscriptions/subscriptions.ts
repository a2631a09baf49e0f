/** 报表订阅: what one has subscribed, and what may be done with it. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { ChangedSubscription, Subscriptions, WantedReport } from '@/gen';
import { api } from '@/lib/api';
import { reportError, showMessage } from '@/lib/errors';

const PREFIX = 'v2/report/Subscription';
export const PAGE = '/mySubscriptions';
const KEY = ['subscriptions'];

export function subscriptionsQuery() {
  return queryOptions({
    queryKey: KEY,
    queryFn: () => api.get<Subscriptions>(`${PREFIX}/getMine`),
    staleTime: 0,
  });
}

export type Command =
  | { call: 'add'; body: WantedReport; told: string }
  | { call: 'edit'; body: ChangedSubscription; told: string }
  | { call: 'setPaused'; body: { subscription_id: number; paused: boolean }; told: string }
  | { call: 'run' | 'del'; body: { subscription_id: number }; told: string };

export function useSubscribing() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ call, body }: Command) => api.post(`${PREFIX}/${call}`, body),
    onSuccess: (_, { told }) => {
      showMessage('success', told);
      void client.invalidateQueries({ queryKey: KEY });
    },
    onError: reportError,
  });
}
