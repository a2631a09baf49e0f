/** isShowNotice: the moment from which the notice popup may show again, the business's midnight after it last did. */
import { now, serverTime } from '@/lib/businessClock';

const KEY = 'isShowNotice';

export function mayShowNotice(): boolean {
  return serverTime() >= (stored()[reader()] ?? 0);
}

export function noteNotice(): void {
  const until = serverTime() + now().add(1, 'day').startOf('day').diff(now());
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...stored(), [reader()]: until }));
  } catch {
    // A full store: it shows again.
  }
}

const reader = () => localStorage.getItem('user_id') ?? '0';

/** Of each user of this browser: what one has read the next has not. */
function stored(): Record<string, number> {
  try {
    const told: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    return typeof told === 'object' && told !== null ? (told as Record<string, number>) : {};
  } catch {
    return {};
  }
}
