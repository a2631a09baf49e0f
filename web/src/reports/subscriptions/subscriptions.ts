/** 报表订阅: queries and commands of the user's subscriptions. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { ChangedSubscription, Subscriptions, WantedReport } from '@/gen';
import { api } from '@/lib/api';
import { reportError, showMessage } from '@/lib/errors';

const PREFIX = 'v2/report/Subscription';
export const SUBSCRIPTIONS_PAGE = '/mySubscriptions';
const SUBSCRIPTIONS_KEY = ['subscriptions'];

export function subscriptionsQuery() {
  return queryOptions({
    queryKey: SUBSCRIPTIONS_KEY,
    queryFn: () => api.get<Subscriptions>(`${PREFIX}/getMine`),
    staleTime: 0,
  });
}

export type SubscriptionCommand =
  | { call: 'add'; body: WantedReport; successMessage: string }
  | { call: 'edit'; body: ChangedSubscription; successMessage: string }
  | { call: 'setPaused'; body: { subscription_id: number; paused: boolean }; successMessage: string }
  | { call: 'run' | 'del'; body: { subscription_id: number }; successMessage: string };

export function useSubscriptionCommand() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ call, body }: SubscriptionCommand) => api.post(`${PREFIX}/${call}`, body),
    onSuccess: (_, { successMessage }) => {
      showMessage('success', successMessage);
      void client.invalidateQueries({ queryKey: SUBSCRIPTIONS_KEY });
    },
    onError: reportError,
  });
}
