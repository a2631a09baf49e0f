import { useEffect, useState } from 'react';
import { now } from '@/lib/businessClock';
import { DATETIME } from '@/lib/format';
import { usePageActive } from '@/lib/tabs';

const second = 1000;

export function Clock() {
  const [time, tell] = useState(now);
  const active = usePageActive();
  useEffect(() => {
    if (!active) return undefined;
    const timer = window.setInterval(() => tell(now()), second);
    return () => window.clearInterval(timer);
  }, [active]);
  return <time>{time.format(DATETIME)}</time>;
}
