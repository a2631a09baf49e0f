import { describe, expect, it } from 'vitest';
import { Decimal } from './decimal';
import { enterNumber, limitNumber, numberProblem, textProblem } from './validation';

describe('number rules of 5.1', () => {
  it.each([
    ['positiveInt', '-1', '请输入大于等于0的整数'],
    ['positiveInt', '1.5', '请输入大于等于0的整数'],
    ['positiveInt', '0', null],
    ['PositiveInt', '0', '请输入大于0的整数'],
    ['PositiveInt', '1', null],
    ['Positive', '-0.01', '请输入大于等于0的数'],
    ['Positive', '0', null],
    ['positive', '0', '请输入大于0的数'],
    ['positive', '0.01', null],
  ])('%s of %s', (rule, value, message) => {
    expect(numberProblem(new Decimal(value), 'money', rule)).toBe(message);
  });
  it('no number reaches one hundred million', () => {
    expect(numberProblem(new Decimal('100000000'), 'money', null)).toBe('数值不能超过一亿');
    expect(numberProblem(new Decimal('99999999.99'), 'money', null)).toBeNull();
  });
  it('limits decimals by type', () => {
    expect(numberProblem(new Decimal('1.234'), 'money', null)).toBe('最多2位小数');
    expect(numberProblem(new Decimal('1.234'), 'quantity', null)).toBeNull();
    expect(numberProblem(new Decimal('1.5'), 'integer', null)).toBe('请输入整数');
  });
});

describe('entering numbers', () => {
  it.each([
    ['12.345', 'money', null, '12.35', null],
    ['1,200', 'quantity', 'positive', '1200', null],
    ['４', 'quantity', 'positive', '4', null],
    ['abc', 'money', null, '', '请输入数字'],
    ['-1', 'quantity', 'positive', '', '请输入大于0的数'],
    ['  ', 'money', 'positive', '', null],
  ] as const)('%s as %s', (text, type, rule, value, problem) => {
    expect(enterNumber(text, type, rule)).toEqual({ value, problem });
  });
  it.each([
    ['00123', 2, '123'],
    ['1.2.3', 2, '1.23'],
    ['12.3456', 2, '12.34'],
    ['.5', 2, '0.5'],
    ['a1b2', 2, '12'],
    ['-5', 2, '-5'],
    ['1.9', 0, '1'],
  ])('filters keys of %s', (text, decimals, kept) => {
    expect(limitNumber(text, decimals)).toBe(kept);
  });
});

describe('text rules of 5.3', () => {
  it.each([
    ['mobile', '13800138000', true],
    ['mobile', '23800138000', false],
    ['mobile', '1380013800', false],
    ['landline', '021-12345678', true],
    ['landline', '12345678', false],
    ['hotline', '400-820-8820', true],
    ['hotline', '800-820-8820', false],
    ['idCard', '11010519491231002X', true],
    ['idCard', '110105491231002', true],
    ['idCard', '1101051949123100', false],
    ['bankCard', '6222020000', true],
    ['bankCard', '0622', false],
    ['email', 'a@b.cn', true],
    ['email', 'a@b', false],
    ['weekCode', '5326', true],
    ['weekCode', '5426', false],
    ['mobile', '', true],
  ])('%s %s', (rule, text, fine) => {
    expect(textProblem(text, rule, null) === null).toBe(fine);
  });
  it('limits the length', () => {
    expect(textProblem('一二三四', null, 3)).toBe('不能超过3个字');
  });
});
