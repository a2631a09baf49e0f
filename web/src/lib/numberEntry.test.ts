import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseNumberEntry, filterKeys, keyFilterOf, type KeyFilter } from './numberEntry';
import type { Bounds, NumberType, InputPlace } from './validation';

interface GoldenEntry {
  section: string;
  place: InputPlace;
  type: NumberType;
  rule: string | null;
  bounds?: Partial<Bounds>;
  typed: string;
  value: string;
  problem: string | null;
}

interface GoldenKeys {
  section: string;
  filter: KeyFilter;
  typed: string;
  kept: string;
}

const file = resolve(import.meta.dirname, '../../../tests/golden/rules.json');
const golden = JSON.parse(readFileSync(file, 'utf8')) as { entries: GoldenEntry[]; keys: GoldenKeys[] };
const unbounded: Bounds = { least: null, most: null, over: null, under: null };

describe('the numeric input helper of 3-rules 5.2 over the golden vectors', () => {
  // docs/specification.md#182
  it.each(golden.entries.map((c) => [c.section, c.typed, c] as const))('%s: %s', (_section, _typed, c) => {
    const kind = { type: c.type, rule: c.rule, bounds: c.bounds ? { ...unbounded, ...c.bounds } : null };
    expect(parseNumberEntry(c.typed, kind, c.place)).toEqual({ value: c.value, problem: c.problem });
  });
  it.each(golden.keys.map((c) => [c.section, c.typed, c] as const))('%s: %s', (_section, _typed, c) => {
    expect(filterKeys(c.typed, c.filter)).toBe(c.kept);
  });
  it.each([
    ['１，２００', '1200'],
    ['1,200', '1200'],
    ['  ', ''],
  ])('takes %s as a person means it', (typed, value) => {
    expect(parseNumberEntry(typed, { type: 'quantity', rule: 'positive', bounds: null }, 'cell')).toEqual({
      value,
      problem: null,
    });
  });
  it('lets through what a rule has words for', () => {
    const of = (rule: string | null) => keyFilterOf({ type: 'money', rule, bounds: null });
    expect([of('positiveInt'), of('notNegative'), of('positive'), of('PositiveInt'), of(null)]).toEqual([
      'integer',
      'limit',
      'signed',
      'signed',
      'any',
    ]);
  });
});
