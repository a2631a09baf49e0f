import { describe, expect, it } from 'vitest';
import { field } from '../fixtures';
import { isStop, NUMBERS } from './gridColumns';

describe('where Enter stops', () => {
  it('passes tyre numbers by, unless the bill is about them', () => {
    expect(isStop(field({ name: 'remark', type: 'text' }))).toBe(true);
    expect(isStop(field({ name: NUMBERS, type: 'text' }))).toBe(false);
    expect(isStop(field({ name: NUMBERS, type: 'text', required: true }))).toBe(true);
  });
});
