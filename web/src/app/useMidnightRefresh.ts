import { useEffect, useRef } from 'react';
import { today, useClockValue } from '@/lib/businessClock';
import { queryClient } from './queries';

/** Refetch date-dependent queries (this month, until today) after midnight. */
export function useMidnightRefresh(): void {
  const day = useClockValue(today);
  const before = useRef(day);
  useEffect(() => {
    if (before.current !== day) void queryClient.invalidateQueries({ queryKey: ['screen'] });
    before.current = day;
  }, [day]);
}
