import { describe, expect, it } from 'vitest';
import { formatTierName } from './tiers';

describe('names of tiers', () => {
  it('go up to twenty (spec/1-shell.md 2: names tiers up to 20)', () => {
    expect([1, 10, 11, 19, 20].map(formatTierName)).toEqual(['第一档', '第十档', '第十一档', '第十九档', '第二十档']);
    expect([0, 21].map(formatTierName)).toEqual(['', '']);
  });
});
