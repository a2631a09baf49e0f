/** Queries of the console, refetched once newer figures are published. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { MonthActivity, ProvinceSales, Ranking, Salesmen, TodaySales } from '@/gen';
import { api, type Query } from '@/lib/api';
import { useQuery } from '@/lib/query';
import { publishedQuery } from '../frameQuery';

export type RankingType = 'company' | 'goods' | 'customer' | 'brand';
export type Measure = 'revenue' | 'quantity' | 'profit';

interface ConsoleAnswers {
  getTodaySalesCaseList: TodaySales;
  getMonthCctivityList: MonthActivity;
  getSalesmanCharts: Salesmen;
  getMonthlyProvinces: ProvinceSales[];
  getRankingList: Ranking[];
}

/**
 * Return the publication time of the newest figures, polled while the page is shown; undefined at first, null if never
 * published.
 */
export function usePublishedAt(): string | null | undefined {
  const { data, isPending } = useQuery(publishedQuery());
  return isPending ? undefined : (data?.refreshed_at ?? null);
}

function consoleQuery<Call extends keyof ConsoleAnswers>(
  call: Call,
  query: Query,
  publishedAt: string | null | undefined,
) {
  return queryOptions({
    queryKey: ['console', call, query, publishedAt],
    queryFn: ({ signal }) => api.get<ConsoleAnswers[Call]>(`v2/system/Console/${call}`, query, { signal }),
    enabled: publishedAt !== undefined,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    meta: { quiet: true },
  });
}

/** The answer of one of the console's calls as of the newest published figures. */
export function useConsole<Call extends keyof ConsoleAnswers>(call: Call, query: Query = {}) {
  return useQuery(consoleQuery(call, query, usePublishedAt()));
}
