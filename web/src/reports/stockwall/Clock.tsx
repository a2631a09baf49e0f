import dayjs from 'dayjs';
import { useEffect, useState } from 'react';
import { DATETIME } from '@/lib/format';
import { usePageActive } from '@/lib/tabs';

const second = 1000;

export function Clock() {
  const [now, tell] = useState(() => dayjs());
  const active = usePageActive();
  useEffect(() => {
    if (!active) return undefined;
    const timer = window.setInterval(() => tell(dayjs()), second);
    return () => window.clearInterval(timer);
  }, [active]);
  return <time>{now.format(DATETIME)}</time>;
}
