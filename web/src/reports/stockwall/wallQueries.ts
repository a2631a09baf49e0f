/** Queries of the stock wall: figures once newer ones are published, the ticker every few seconds. */
import { keepPreviousData } from '@tanstack/react-query';
import type { Screen } from '@/engine/types';
import type { AuditedBill, StockOverview } from '@/gen';
import { api } from '@/lib/api';
import { useQuery } from '@/lib/query';
import { usePublishedAt } from '../console/consoleQueries';

const POLL_INTERVAL = 15_000;
const BILL_COUNT = 20;

export function useOverview(screen: Screen, company: number) {
  const publishedAt = usePublishedAt();
  return useQuery({
    queryKey: [screen.name, 'overview', company, publishedAt],
    queryFn: ({ signal }) => api.get<StockOverview>(`${screen.api}/getOverview`, { company_id: company }, { signal }),
    // Else what is asked before that is known would be given up and asked again.
    enabled: publishedAt !== undefined,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    meta: { quiet: true },
  });
}

export function useTicker(screen: Screen) {
  return useQuery({
    queryKey: [screen.name, 'ticker'],
    queryFn: ({ signal }) => api.get<AuditedBill[]>(`${screen.api}/getTicker`, { num: BILL_COUNT }, { signal }),
    refetchInterval: POLL_INTERVAL,
    meta: { quiet: true },
  });
}
