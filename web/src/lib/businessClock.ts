import dayjs, { type Dayjs } from 'dayjs';
import { useSyncExternalStore } from 'react';

/**
 * The business's calendar and clock, which is the server's: every answer tells its time and zone. What a PC's own clock
 * and zone say decides nothing; they only count on from the last answer.
 */

/** Milliseconds to add to this machine's clock for the server's, and of the business's zone. */
interface Reading {
  skew: number;
  zone: number;
}

export const BUSINESS_TIME = 'Business-Time';
const SLOT = 'business_clock';
const TICK = 5000;
const USUAL: Reading = { skew: 0, zone: 8 * 3_600_000 };
const ticking = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let reading = remembered();

function remembered(): Reading {
  try {
    const { skew, zone } = JSON.parse(localStorage.getItem(SLOT) ?? '{}') as Partial<Reading>;
    return Number.isFinite(skew) && Number.isFinite(zone) ? { skew: skew!, zone: zone! } : USUAL;
  } catch {
    return USUAL;
  }
}

/** This machine's clock: for how long something takes, never for what day it is. */
export function machineTime(): number {
  return Date.now();
}

/**
 * Takes the time that an answer tells (2026-11-21T00:00:01.250+08:00). It was told between `asked` and now; a clock that
 * agrees with that is left alone, so that a slow line doesn't make it jump.
 */
export function setClock(told: string | null, asked: number): void {
  const parts = /([+-])(\d\d):(\d\d)$/.exec(told ?? '');
  const time = Date.parse(told ?? '');
  if (!parts || Number.isNaN(time)) return;
  const [, sign, hours, minutes] = parts;
  const zone = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1);
  const [least, most] = [time - machineTime(), time - asked].sort((a, b) => a - b) as [number, number];
  const skew = Math.min(Math.max(reading.skew, least), most);
  if (skew === reading.skew && zone === reading.zone) return;
  reading = { skew, zone };
  try {
    localStorage.setItem(SLOT, JSON.stringify(reading));
  } catch {
    // A full store: the next page asks anew.
  }
  tick();
}

/** The server's moment, in milliseconds. */
export function serverTime(): number {
  return machineTime() + reading.skew;
}

/** The business's date and time of day, in the fields of a Dayjs, as the server's dates and times are read. */
export function now(): Dayjs {
  const wall = new Date(serverTime() + reading.zone);
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
  return new Date(serverTime() + reading.zone).toISOString().slice(0, 10);
}

export const threeMonthsAgo = () => now().subtract(3, 'month');
export const nextMonth = () => now().add(1, 'month');
export const nextDay = () => now().add(1, 'day');

/** Days to come, of what need not have happened. */
export const comingDays = [
  { label: '明天', value: nextDay },
  { label: '下月今天', value: nextMonth },
];

type Span = [Dayjs, Dayjs];

const lastDays = (count: number): Span => [now().subtract(count - 1, 'day'), now()];

/** Ranges of days up to today, worked out when they are chosen. */
export const spans = {
  今天: () => lastDays(1),
  近7天: () => lastDays(7),
  近30天: () => lastDays(30),
  本月: (): Span => [now().startOf('month'), now()],
  上月: (): Span => [now().subtract(1, 'month').startOf('month'), now().subtract(1, 'month').endOf('month')],
  近3个月: (): Span => [threeMonthsAgo(), now()],
};

/** Some of them as a picker offers them. */
export function presets(...names: (keyof typeof spans)[]): { label: string; value: () => Span }[] {
  return names.map((label) => ({ label, value: spans[label] }));
}

function tick(): void {
  for (const listener of ticking) listener();
}

function onTick(listener: () => void): () => void {
  ticking.add(listener);
  if (ticking.size === 1) {
    timer = setInterval(tick, TICK);
    // A machine that slept through midnight.
    document.addEventListener('visibilitychange', tick);
  }
  return () => {
    ticking.delete(listener);
    if (ticking.size > 0) return;
    clearInterval(timer);
    document.removeEventListener('visibilitychange', tick);
  };
}

/** What `read` says of the clock, drawn again when it says something else: a day, an hour's greeting. */
export function useClock(read: () => string): string {
  return useSyncExternalStore(onTick, read);
}
