import dayjs, { type Dayjs } from 'dayjs';
import { useSyncExternalStore } from 'react';

/**
 * The business's calendar and clock, which is the server's: every answer tells its time and zone. What a PC's own clock
 * and zone say decides nothing; they only count on from the last answer.
 */

/** Milliseconds to add to this machine's clock for the server's, and of the business's zone. */
interface ClockOffset {
  skew: number;
  zone: number;
}

export const BUSINESS_TIME = 'Business-Time';
const STORAGE_KEY = 'business_clock';
const TICK_INTERVAL = 5000;
const DEFAULT_OFFSET: ClockOffset = { skew: 0, zone: 8 * 3_600_000 };
const tickListeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let clockOffset = readStoredOffset();

function readStoredOffset(): ClockOffset {
  try {
    const { skew, zone } = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}') as Partial<ClockOffset>;
    return Number.isFinite(skew) && Number.isFinite(zone) ? { skew: skew!, zone: zone! } : DEFAULT_OFFSET;
  } catch {
    return DEFAULT_OFFSET;
  }
}

/** This machine's clock: for how long something takes, never for what day it is. */
export function machineTime(): number {
  return Date.now();
}

/**
 * Synchronize with the time of an answer (2026-11-21T00:00:01.250+08:00), which the server took between the request and
 * now. A clock that agrees with that is left alone, so that a slow line doesn't make it jump.
 */
export function syncClock(answered: string | null, sentAt: number): void {
  const parts = /([+-])(\d\d):(\d\d)$/.exec(answered ?? '');
  const time = Date.parse(answered ?? '');
  if (!parts || Number.isNaN(time)) return;
  const [, sign, hours, minutes] = parts;
  const zone = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1);
  const [least, most] = [time - machineTime(), time - sentAt].sort((a, b) => a - b) as [number, number];
  const skew = Math.min(Math.max(clockOffset.skew, least), most);
  if (skew === clockOffset.skew && zone === clockOffset.zone) return;
  clockOffset = { skew, zone };
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(clockOffset));
  } catch {
    // A full store: the next page asks anew.
  }
  notifyTick();
}

/** The server's moment, in milliseconds. */
export function serverTime(): number {
  return machineTime() + clockOffset.skew;
}

/** The business's date and time of day, in the fields of a Dayjs, as the server's dates and times are read. */
export function now(): Dayjs {
  const wall = new Date(serverTime() + clockOffset.zone);
  return dayjs(
    new Date(
      wall.getUTCFullYear(),
      wall.getUTCMonth(),
      wall.getUTCDate(),
      wall.getUTCHours(),
      wall.getUTCMinutes(),
      wall.getUTCSeconds(),
      wall.getUTCMilliseconds(),
    ),
  );
}

/** The business date. */
export function today(): string {
  return new Date(serverTime() + clockOffset.zone).toISOString().slice(0, 10);
}

export const threeMonthsAgo = () => now().subtract(3, 'month');
export const nextMonth = () => now().add(1, 'month');
export const nextDay = () => now().add(1, 'day');

/** Days to come, of what need not have happened. */
export const futureDatePresets = [
  { label: '明天', value: nextDay },
  { label: '下月今天', value: nextMonth },
];

type DateSpan = [Dayjs, Dayjs];

const lastDaysSpan = (count: number): DateSpan => [now().subtract(count - 1, 'day'), now()];

/** Ranges of days up to today, worked out when they are chosen. */
export const dateSpans = {
  今天: () => lastDaysSpan(1),
  近7天: () => lastDaysSpan(7),
  近30天: () => lastDaysSpan(30),
  本月: (): DateSpan => [now().startOf('month'), now()],
  上月: (): DateSpan => [now().subtract(1, 'month').startOf('month'), now().subtract(1, 'month').endOf('month')],
  近3个月: (): DateSpan => [threeMonthsAgo(), now()],
};

/** Some of them as a picker offers them. */
export function datePresets(...names: (keyof typeof dateSpans)[]): { label: string; value: () => DateSpan }[] {
  return names.map((label) => ({ label, value: dateSpans[label] }));
}

function notifyTick(): void {
  for (const listener of tickListeners) listener();
}

function subscribeToTicks(listener: () => void): () => void {
  tickListeners.add(listener);
  if (tickListeners.size === 1) {
    timer = setInterval(notifyTick, TICK_INTERVAL);
    // A machine that slept through midnight.
    document.addEventListener('visibilitychange', notifyTick);
  }
  return () => {
    tickListeners.delete(listener);
    if (tickListeners.size > 0) return;
    clearInterval(timer);
    document.removeEventListener('visibilitychange', notifyTick);
  };
}

/** Return what `read` derives from the clock (a day, an hour's greeting), and render again when it changes. */
export function useClockValue(read: () => string): string {
  return useSyncExternalStore(subscribeToTicks, read);
}
