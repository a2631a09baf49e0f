/** Query client of the web: retries, and reporting of errors. */
import { QueryCache, QueryClient } from '@tanstack/react-query';
import { isCancelled, reportError } from '@/lib/errors';

const MAX_CANCELLED_RETRIES = 2;

/** Queries with `meta.quiet` (selectors, counters) leave their list as it was and say nothing when they fail. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => {
      if (query.meta?.quiet !== true) reportError(error);
    },
  }),
  defaultOptions: {
    // Without a network a call fails at once and says so; it doesn't wait in silence.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 10_000,
      refetchOnWindowFocus: false,
      // A route change gives up all reads in flight; what is still on screen asks again.
      retry: (failures, error) => isCancelled(error) && failures < MAX_CANCELLED_RETRIES,
      retryDelay: 200,
    },
  },
});
