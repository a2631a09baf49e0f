import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ValueLimitError, priceLine, type PricedLine, type PricingInput } from './pricing';

interface GoldenCase {
  name: string;
  input: PricingInput;
  output: PricedLine | { error: string };
}

const file = resolve(import.meta.dirname, '../../../tests/golden/pricing.json');
const golden = JSON.parse(readFileSync(file, 'utf8')) as { cases: GoldenCase[] };

describe('priceLine over the golden vectors', () => {
  it('has at least forty cases', () => {
    expect(golden.cases.length).toBeGreaterThanOrEqual(40);
  });
  it.each(golden.cases.map((c) => [c.name, c] as const))('%s', (_name, { input, output }) => {
    if ('error' in output) {
      expect(() => priceLine(input)).toThrow(new ValueLimitError());
      expect(new ValueLimitError().message).toBe(output.error);
    } else {
      expect(priceLine(input)).toEqual(output);
    }
  });
});
