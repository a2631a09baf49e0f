import { useEffect, useState } from 'react';
import { now } from '@/lib/businessClock';
import { DATETIME_FORMAT } from '@/lib/format';
import { usePageActive } from '@/lib/tabs';

const SECOND = 1000;

export function Clock() {
  const [time, tell] = useState(now);
  const active = usePageActive();
  useEffect(() => {
    if (!active) return undefined;
    const timer = window.setInterval(() => tell(now()), SECOND);
    return () => window.clearInterval(timer);
  }, [active]);
  return <time>{time.format(DATETIME_FORMAT)}</time>;
}
