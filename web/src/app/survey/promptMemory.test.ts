import { beforeEach, describe, expect, it } from 'vitest';
import { notePrompt, wasPrompted } from './promptMemory';

const morning = new Date(2026, 2, 5, 8);
const evening = new Date(2026, 2, 5, 23, 59);
const tomorrow = new Date(2026, 2, 6, 0, 1);

beforeEach(() => {
  localStorage.clear();
  localStorage.setItem('user_id', '7');
});

describe('a survey prompt (spec/1-shell.md 2: at most once per user per day per survey)', () => {
  it('is remembered until midnight, for its survey', () => {
    notePrompt(3, morning);
    expect([wasPrompted(3, evening), wasPrompted(4, evening), wasPrompted(3, tomorrow)]).toEqual([true, false, false]);
  });

  it('is remembered for its user', () => {
    notePrompt(3, morning);
    localStorage.setItem('user_id', '8');
    expect(wasPrompted(3, evening)).toBe(false);
  });
});
