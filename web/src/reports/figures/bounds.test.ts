import { describe, expect, it } from 'vitest';
import { sentBound, typedBound } from './bounds';

describe('bounds of an alert', () => {
  it('of a share are typed of a hundred and sent of one', () => {
    expect(sentBound('30.2', true)).toBe('0.302');
    expect(typedBound('0.302', true)).toBe('30.2');
  });

  it('of an amount are what they are, to the cent', () => {
    expect(sentBound('1,234,567.89', false)).toBe('1234567.89');
    expect(typedBound('1234567.89', false)).toBe('1234567.89');
  });

  it('may be missing, and are refused when they are no number', () => {
    expect(sentBound(' ', true)).toBeNull();
    expect(typedBound(null, true)).toBe('');
    expect(sentBound('三成', true)).toBeUndefined();
  });
});
