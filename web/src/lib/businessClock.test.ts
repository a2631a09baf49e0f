import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  machineTime,
  nextDay,
  nextMonth,
  now,
  serverTime,
  syncClock,
  dateSpans,
  threeMonthsAgo,
  today,
} from './businessClock';
import { DATE_FORMAT, DATETIME_FORMAT } from './format';

/** The server's moment: 01:42 of the 21st in Beijing, where it is still the 20th in UTC. */
const SERVER_TIME = '2026-11-21T01:42:00.000+08:00';
const moment = Date.parse(SERVER_TIME);

/** A browser in `zone` whose clock says `at`, to which the server tells its time. */
function browser(zone: string, at: number): void {
  vi.stubEnv('TZ', zone);
  vi.setSystemTime(at);
  syncClock(SERVER_TIME, machineTime());
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  localStorage.clear();
});

const years = 366 * 86_400_000;

describe.each([
  ['UTC', 0],
  ['America/Los_Angeles', 0],
  ['Pacific/Kiritimati', 0],
  ['Asia/Shanghai', -years],
  ['UTC', 3 * years],
  ['America/New_York', 40_000],
  ['Asia/Shanghai', -3 * 3_600_000],
])('in a browser of %s whose clock is %i ms off', (zone, off) => {
  beforeEach(() => browser(zone, moment + off));

  it('the day and the time are the server’s', () => {
    expect([today(), now().format(DATETIME_FORMAT), serverTime()]).toEqual([
      '2026-11-21',
      '2026-11-21 01:42:00',
      moment,
    ]);
  });

  it('ranges end today', () => {
    const ranges = Object.entries(dateSpans).map(([name, span]) => [
      name,
      ...span().map((day) => day.format(DATE_FORMAT)),
    ]);
    expect(ranges).toEqual([
      ['今天', '2026-11-21', '2026-11-21'],
      ['近7天', '2026-11-15', '2026-11-21'],
      ['近30天', '2026-10-23', '2026-11-21'],
      ['本月', '2026-11-01', '2026-11-21'],
      ['上月', '2026-10-01', '2026-10-31'],
      ['近3个月', '2026-08-21', '2026-11-21'],
    ]);
  });

  it('3-rules 9: helpers for 3 months ago, next month, next day', () => {
    expect([threeMonthsAgo, nextMonth, nextDay].map((day) => day().format(DATE_FORMAT))).toEqual([
      '2026-08-21',
      '2026-12-21',
      '2026-11-22',
    ]);
  });

  it('midnight passes', () => {
    vi.advanceTimersByTime(22 * 3_600_000 + 17 * 60_000 + 59_999);
    expect(today()).toBe('2026-11-21');
    vi.advanceTimersByTime(1);
    expect([today(), now().format(DATETIME_FORMAT)]).toEqual(['2026-11-22', '2026-11-22 00:00:00']);
  });
});

describe('a clock that was told', () => {
  it('is not moved by a slow answer that agrees with it', () => {
    browser('UTC', moment);
    vi.advanceTimersByTime(60_000);
    const asked = machineTime();
    vi.advanceTimersByTime(20_000);
    // Told five seconds after it was asked, and fifteen on its way.
    syncClock('2026-11-21T01:43:05.000+08:00', asked);
    expect(serverTime()).toBe(moment + 80_000);
  });

  it('is put right by the next answer when the PC’s clock was changed under it', () => {
    browser('UTC', moment);
    vi.setSystemTime(moment - years);
    syncClock('2026-11-21T01:42:10.000+08:00', machineTime());
    expect(now().format(DATETIME_FORMAT)).toBe('2026-11-21 01:42:10');
  });

  it('is left as it was by an answer that tells none', () => {
    browser('UTC', moment + years);
    for (const none of [null, '', '2026-11-21', 'yesterday +08:00']) syncClock(none, machineTime());
    expect(serverTime()).toBe(moment);
  });
});
