import { describe, expect, it } from 'vitest';
import { AMOUNT_AXIS } from './options';

describe('an axis of amounts', () => {
  it.each([
    [{ min: -185, max: 640000 }, -185],
    [{ min: -90000, max: 640000 }, null],
    [{ min: 5, max: 640000 }, null],
    [{ min: -185, max: -5 }, null],
  ])('begins at what is a little less than nothing, else as usual: %o', (extent, least) => {
    expect(AMOUNT_AXIS.min(extent)).toBe(least);
  });
});
