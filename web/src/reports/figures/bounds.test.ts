import { describe, expect, it } from 'vitest';
import { parseBound, formatBound } from './bounds';

describe('bounds of an alert', () => {
  it('of a share are typed of a hundred and sent of one', () => {
    expect(parseBound('30.2', true)).toBe('0.302');
    expect(formatBound('0.302', true)).toBe('30.2');
  });

  it('of an amount are what they are, to the cent', () => {
    expect(parseBound('1,234,567.89', false)).toBe('1234567.89');
    expect(formatBound('1234567.89', false)).toBe('1234567.89');
  });

  it('may be missing, and are refused when they are no number', () => {
    expect(parseBound(' ', true)).toBeNull();
    expect(formatBound(null, true)).toBe('');
    expect(parseBound('三成', true)).toBeUndefined();
  });
});
