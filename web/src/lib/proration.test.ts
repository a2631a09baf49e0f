import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Decimal } from './decimal';
import { capPart, addPart, proratePart, type SourceMoney } from './proration';

type Told = Record<'quantity' | 'amount' | 'discount' | 'tax', string>;

interface GoldenCase {
  name: string;
  source: Told;
  taken?: Told;
  parts: Told[];
}

interface BoundCase {
  name: string;
  source: Told;
  own: Pick<Told, 'amount' | 'tax'>;
  part: Omit<Told, 'quantity'>;
  most: string;
  bound: Omit<Told, 'quantity'>;
}

const file = resolve(import.meta.dirname, '../../../tests/golden/proration.json');
const golden = JSON.parse(readFileSync(file, 'utf8')) as { cases: GoldenCase[]; bounds: BoundCase[] };
const moneyOf = (told?: Partial<Told>): SourceMoney => ({
  quantity: new Decimal(told?.quantity ?? 0),
  amount: new Decimal(told?.amount ?? 0),
  discount: new Decimal(told?.discount ?? 0),
  tax: new Decimal(told?.tax ?? 0),
});

describe('takePart over the golden vectors', () => {
  it('has at least fifteen cases', () => expect(golden.cases.length).toBeGreaterThanOrEqual(15));
  it.each(golden.cases.map((c) => [c.name, c] as const))('%s', (_name, { source, taken, parts }) => {
    let given = moneyOf(taken);
    for (const expected of parts) {
      const quantity = new Decimal(expected.quantity);
      const part = proratePart(moneyOf(source), given, quantity);
      given = addPart(given, quantity, part);
      const { amount, discount, tax } = part;
      expect({ amount: amount.toFixed(2), discount: discount.toFixed(2), tax: tax.toFixed(2) }).toEqual({
        amount: expected.amount,
        discount: expected.discount,
        tax: expected.tax,
      });
    }
  });
});

describe('boundPart over the golden vectors', () => {
  it.each(golden.bounds.map((c) => [c.name, c] as const))('%s', (_name, { source, own, part, most, bound }) => {
    const { amount, discount, tax } = capPart(moneyOf(source), moneyOf(own), moneyOf(part), new Decimal(most));
    expect({ amount: amount.toFixed(2), discount: discount.toFixed(2), tax: tax.toFixed(2) }).toEqual(bound);
  });
});
