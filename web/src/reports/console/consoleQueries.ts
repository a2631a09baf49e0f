/** What the server answers for the console; asked anew once newer figures are published. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { MonthActivity, ProvinceSales, Ranking, Salesmen, TodaySales } from '@/gen';
import { api, type Query } from '@/lib/api';
import { useQuery } from '@/lib/query';
import { publishedQuery } from '../frameQuery';

export type RankingType = 'company' | 'goods' | 'customer' | 'brand';
export type Measure = 'revenue' | 'quantity' | 'profit';

interface Answers {
  getTodaySalesCaseList: TodaySales;
  getMonthCctivityList: MonthActivity;
  getSalesmanCharts: Salesmen;
  getMonthlyProvinces: ProvinceSales[];
  getRankingList: Ranking[];
}

/** When the newest figures were published, looked for while the page is shown; not known at first, and null if never. */
export function usePublishedAt(): string | null | undefined {
  const { data, isPending } = useQuery(publishedQuery());
  return isPending ? undefined : (data?.refreshed_at ?? null);
}

function consoleQuery<Call extends keyof Answers>(call: Call, query: Query, publishedAt: string | null | undefined) {
  return queryOptions({
    queryKey: ['console', call, query, publishedAt],
    queryFn: ({ signal }) => api.get<Answers[Call]>(`v2/system/Console/${call}`, query, { signal }),
    enabled: publishedAt !== undefined,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    meta: { quiet: true },
  });
}

/** The answer of one of the console's calls as of the newest published figures. */
export function useConsole<Call extends keyof Answers>(call: Call, query: Query = {}) {
  return useQuery(consoleQuery(call, query, usePublishedAt()));
}
