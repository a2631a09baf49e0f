import { beforeEach, describe, expect, it } from 'vitest';
import { mayShowNotice, noteNotice } from './onceADay';

beforeEach(() => {
  localStorage.clear();
  localStorage.setItem('user_id', '7');
});

describe('the notice popup (spec/1-shell.md 2: at most once per day, next midnight)', () => {
  it('shows again from midnight on', () => {
    expect(mayShowNotice(new Date(2026, 2, 5, 8))).toBe(true);
    noteNotice(new Date(2026, 2, 5, 8));
    expect(mayShowNotice(new Date(2026, 2, 5, 23, 59, 59))).toBe(false);
    expect(mayShowNotice(new Date(2026, 2, 6))).toBe(true);
  });
});
