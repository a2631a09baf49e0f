import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Decimal } from './decimal';
import { labelProblem, numberProblem, textProblem, type Bounds, type NumberType, type InputPlace } from './validation';

interface GoldenNumber {
  section: string;
  place: InputPlace;
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
const golden = JSON.parse(readFileSync(file, 'utf8')) as {
  numbers: GoldenNumber[];
  labelled: GoldenLabel[];
  texts: GoldenText[];
};
const unbounded: Bounds = { least: null, most: null, over: null, under: null };

describe('rules of 3-rules section 5 over the golden vectors', () => {
  it.each(golden.numbers.map((c) => [c.section, c.sent, c] as const))('%s: %s', (_section, _sent, c) => {
    const kind = { type: c.type, rule: c.rule, bounds: c.bounds ? { ...unbounded, ...c.bounds } : null };
    expect(numberProblem(new Decimal(c.sent), kind, c.place)).toBe(c.problem);
  });
  it.each(golden.labelled.map((c) => [c.section, c] as const))('%s', (_section, c) => {
    expect(labelProblem(c.label, c.problem)).toBe(c.told);
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
