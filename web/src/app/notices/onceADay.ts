/** isShowNotice: the moment from which the notice popup may show again, the business's midnight after it last did. */
import { now, serverTime } from '@/lib/businessClock';
import { readStored, writeStored } from '@/lib/stored';

const KEY = 'isShowNotice';

export function mayShowNotice(): boolean {
  return serverTime() >= (readStored<number>(KEY) ?? 0);
}

export function noteNotice(): void {
  writeStored(KEY, serverTime() + now().add(1, 'day').startOf('day').diff(now()));
}
