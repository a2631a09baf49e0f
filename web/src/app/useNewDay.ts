import { useEffect, useRef } from 'react';
import { today, useClock } from '@/lib/businessClock';
import { queries } from './queries';

/** What screens say of today (this month, until today) is asked anew once midnight has passed. */
export function useNewDay(): void {
  const day = useClock(today);
  const before = useRef(day);
  useEffect(() => {
    if (before.current !== day) void queries.invalidateQueries({ queryKey: ['screen'] });
    before.current = day;
  }, [day]);
}
