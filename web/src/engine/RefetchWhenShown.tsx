import { useEffect } from 'react';
import { isCancelled } from '../lib/errors';
import { usePageActive } from '../lib/tabs';

interface CancellableQuery {
  error: Error | null;
  refetch: () => unknown;
}

/**
 * A page left while loading lost its request; it asks again when shown. A component of its own, so that showing and
 * hiding a page draws nothing of it anew.
 */
export function RefetchWhenShown({ query: { error, refetch } }: { query: CancellableQuery }) {
  const active = usePageActive();
  useEffect(() => {
    if (active && isCancelled(error)) void refetch();
  }, [active, error, refetch]);
  return null;
}
