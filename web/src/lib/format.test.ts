import { describe, expect, it } from 'vitest';
import { parseDecimal, sumDecimals } from './decimal';
import { formatMoney, formatPrice, formatQuantity, parseDate } from './format';

describe('number formats', () => {
  it('groups thousands and keeps two decimals', () => {
    expect(formatMoney('1234567.5')).toBe('1,234,567.50');
    expect(formatMoney('-1234.005')).toBe('-1,234.01');
    expect(formatMoney('99')).toBe('99.00');
  });
  it('shows 无权限 as is and nothing for nothing', () => {
    expect(formatMoney('无权限')).toBe('无权限');
    expect(formatPrice('无权限')).toBe('无权限');
    expect(formatQuantity('无权限')).toBe('无权限');
    expect(formatMoney(null)).toBe('');
    expect(formatMoney('abc')).toBe('');
  });
  it('keeps the significant decimals of prices and quantities', () => {
    expect(formatPrice('33.333333')).toBe('33.333333');
    expect(formatPrice('450')).toBe('450.00');
    expect(formatQuantity('4.000')).toBe('4');
    expect(formatQuantity('1234.5')).toBe('1,234.5');
  });
});

describe('parsing what people type', () => {
  it.each([
    ['１２．５', '12.5'],
    ['1,234.50', '1234.5'],
    ['￥99', '99'],
    ['.5', '0.5'],
    ['12。5', '12.5'],
  ])('%s is a number', (text, value) => {
    expect(parseDecimal(text)?.toString()).toBe(value);
  });
  it.each(['', 'abc', '1.2.3', '1e5', '--1', null, undefined, Number.NaN])('%s is none', (text) => {
    expect(parseDecimal(text)).toBeNull();
  });
  it('reads dates of several shapes and refuses impossible ones', () => {
    expect(parseDate('2026-7-5')).toBe('2026-07-05');
    expect(parseDate('2026/07/05')).toBe('2026-07-05');
    expect(parseDate('20260705')).toBe('2026-07-05');
    expect(parseDate('2026年7月5日')).toBe('2026-07-05');
    expect(parseDate('2026-02-30')).toBeNull();
    expect(parseDate('7-5')).toBeNull();
  });
  it('sums decimally, and the mask wins', () => {
    expect(sumDecimals(['0.1', '0.2', '', null]).toString()).toBe('0.3');
    expect(sumDecimals(['1', '无权限'])).toBe('无权限');
  });
});
