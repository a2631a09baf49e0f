import dayjs from 'dayjs';
import { useEffect, useState } from 'react';
import { DATETIME } from '@/lib/format';

const second = 1000;

export function Clock() {
  const [now, tell] = useState(() => dayjs());
  useEffect(() => {
    const timer = window.setInterval(() => tell(dayjs()), second);
    return () => window.clearInterval(timer);
  }, []);
  return <time>{now.format(DATETIME)}</time>;
}
