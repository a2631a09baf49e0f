import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Decimal } from './decimal';
import { enterNumber, labelled, limitNumber, numberProblem, textProblem, type Bounds, type NumberType, type Place } from './validation';

interface GoldenNumber {
  section: string;
  place: Place;
  type: NumberType;
  rule: string | null;
  bounds?: Partial<Bounds>;
  sent: string;
  problem: string | null;
}

interface GoldenLabel {
  section: string;
  label: string;
  problem: string;
  told: string;
}

interface GoldenText {
  section: string;
  rule: string;
  sent: string;
  problem: string | null;
}

const file = resolve(import.meta.dirname, '../../../tests/golden/rules.json');
const golden = JSON.parse(readFileSync(file, 'utf8')) as { numbers: GoldenNumber[]; labelled: GoldenLabel[]; texts: GoldenText[] };
const unbounded: Bounds = { least: null, most: null, over: null, under: null };

describe('rules of 3-rules section 5 over the golden vectors', () => {
  it.each(golden.numbers.map((c) => [c.section, c.sent, c] as const))('%s: %s', (_section, _sent, c) => {
    const kind = { type: c.type, rule: c.rule, bounds: c.bounds ? { ...unbounded, ...c.bounds } : null };
    expect(numberProblem(new Decimal(c.sent), kind, c.place)).toBe(c.problem);
  });
  it.each(golden.labelled.map((c) => [c.section, c] as const))('%s', (_section, c) => {
    expect(labelled(c.label, c.problem)).toBe(c.told);
  });
  it.each(golden.texts.map((c) => [c.section, c.sent, c] as const))('%s: %s', (_section, _sent, c) => {
    expect(textProblem(c.sent, c.rule, null)).toBe(c.problem);
  });
  it('optional texts may be empty', () => {
    expect(textProblem('', 'mobile', null)).toBeNull();
  });
  it('limits the length', () => {
    expect(textProblem('一二三四', null, 3)).toBe('不能超过3个字');
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
    expect(enterNumber(text, { type, rule, bounds: null }, 'cell')).toEqual({ value, problem });
  });
  it('5.2: money of a form is fixed to 2 decimals', () => {
    expect(enterNumber('80.5', { type: 'money', rule: null, bounds: null }, 'form').value).toBe('80.50');
  });
  it('5.2: below min the value is set to min, above max it clears', () => {
    const kind = { type: 'integer' as const, rule: null, bounds: { ...unbounded, least: 3, most: 8 } };
    expect(enterNumber('2', kind, 'form')).toEqual({ value: '3', problem: '请输入大于等于3的数' });
    expect(enterNumber('9', kind, 'form')).toEqual({ value: '', problem: '请输入小于等于8的数' });
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
