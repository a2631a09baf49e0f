import { describe, expect, it } from 'vitest';
import { isProcessing } from './steps';

describe('initialisation', () => {
  it('1, 3 and 5 are being processed (spec/1-shell.md 4)', () => {
    expect([0, 1, 2, 3, 4, 5, 6, undefined].filter(isProcessing)).toEqual([1, 3, 5]);
  });
});
