import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { machineTime, syncClock } from '@/lib/businessClock';
import { recordPrompt, wasPrompted } from './promptMemory';

const at = (told: string) => syncClock(`${told}+08:00`, machineTime());

beforeEach(() => {
  localStorage.clear();
  localStorage.setItem('user_id', '7');
  vi.useFakeTimers({ now: new Date('2020-01-01T00:00:00Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a survey prompt (spec/1-shell.md 2: at most once per user per day per survey)', () => {
  it('is remembered until the business’s midnight, for its survey', () => {
    at('2026-03-05T08:00:00');
    recordPrompt(3);
    at('2026-03-05T23:59:00');
    const evening = [wasPrompted(3), wasPrompted(4)];
    at('2026-03-06T00:01:00');
    expect([...evening, wasPrompted(3)]).toEqual([true, false, false]);
  });

  it('is remembered for its user', () => {
    recordPrompt(3);
    localStorage.setItem('user_id', '8');
    expect(wasPrompted(3)).toBe(false);
  });
});
