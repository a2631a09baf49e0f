/** isShowNotice: the time from which the notice popup may show again, the business's midnight after it last did. */
import { now, serverTime } from '@/lib/businessClock';

const NOTICE_KEY = 'isShowNotice';

export function canShowNotice(): boolean {
  return serverTime() >= (readShownUntil()[readerId()] ?? 0);
}

export function markNoticeShown(): void {
  const until = serverTime() + now().add(1, 'day').startOf('day').diff(now());
  try {
    localStorage.setItem(NOTICE_KEY, JSON.stringify({ ...readShownUntil(), [readerId()]: until }));
  } catch {
    // A full store: it shows again.
  }
}

const readerId = () => localStorage.getItem('user_id') ?? '0';

/** Return the stored times per user of this browser. */
function readShownUntil(): Record<string, number> {
  try {
    const parsed: unknown = JSON.parse(localStorage.getItem(NOTICE_KEY) ?? '{}');
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, number>) : {};
  } catch {
    return {};
  }
}
