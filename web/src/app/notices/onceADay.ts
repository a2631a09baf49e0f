/** isShowNotice: the moment from which the notice popup may show again, the midnight after it last did. */
import dayjs from 'dayjs';
import { readStored, writeStored } from '@/lib/stored';

const KEY = 'isShowNotice';

export function nextMidnight(now: Date): number {
  return dayjs(now).add(1, 'day').startOf('day').valueOf();
}

export function mayShowNotice(now = new Date()): boolean {
  return now.getTime() >= (readStored<number>(KEY) ?? 0);
}

export function noteNotice(now = new Date()): void {
  writeStored(KEY, nextMidnight(now));
}
