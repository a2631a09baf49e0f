import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { machineTime, syncClock } from '@/lib/businessClock';
import { canShowNotice, markNoticeShown } from './dailyNotice';

const at = (told: string) => syncClock(`${told}+08:00`, machineTime());

beforeEach(() => {
  localStorage.clear();
  localStorage.setItem('user_id', '7');
  vi.useFakeTimers({ now: new Date('2020-01-01T00:00:00Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the notice popup (spec/1-shell.md 2: at most once per day, next midnight)', () => {
  it('shows again from the business’s midnight on', () => {
    at('2026-03-05T08:00:00');
    expect(canShowNotice()).toBe(true);
    markNoticeShown();
    at('2026-03-05T23:59:59');
    expect(canShowNotice()).toBe(false);
    at('2026-03-06T00:00:00');
    expect(canShowNotice()).toBe(true);
  });

  // docs/specification.md#74
  it('is kept as isShowNotice, of each user of the browser', () => {
    at('2026-03-05T08:00:00');
    markNoticeShown();
    expect(localStorage.getItem('isShowNotice')).not.toBeNull();
    localStorage.setItem('user_id', '8');
    expect(canShowNotice()).toBe(true);
    markNoticeShown();
    localStorage.setItem('user_id', '7');
    expect(canShowNotice()).toBe(false);
  });

  it('shows again where what was kept can’t be read', () => {
    localStorage.setItem('isShowNotice', '17');
    expect(canShowNotice()).toBe(true);
  });
});
