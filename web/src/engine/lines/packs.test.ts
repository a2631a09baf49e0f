import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../lib/decimal';
import { quantityToPacks, packsToQuantity, updateUnits } from './packs';

interface Golden {
  quantity_of: { name: string; packs: string; factor: string; quantity: string }[];
  packs_of: { name: string; quantity: string; factor: string; packs: string | null }[];
}

const file = resolve(import.meta.dirname, '../../../../tests/golden/packs.json');
const golden = JSON.parse(readFileSync(file, 'utf8')) as Golden;

describe('packs over the golden vectors', () => {
  it.each(golden.quantity_of.map((one) => [one.name, one] as const))(
    'make a quantity: %s',
    (_name, { packs, factor, quantity }) => {
      expect(packsToQuantity(new Decimal(packs), new Decimal(factor)).toString()).toBe(quantity);
    },
  );
  it.each(golden.packs_of.map((one) => [one.name, one] as const))(
    'follow from one: %s',
    (_name, { quantity, factor, packs }) => {
      expect(quantityToPacks(new Decimal(quantity), new Decimal(factor))?.toString() ?? null).toBe(packs);
    },
  );
});

describe('a line whose goods changed meanwhile', () => {
  const line = {
    pack_unit_id: 7,
    pack_unit_name: '箱',
    pack_quantity: '3.000',
    pack_factor: '12.000',
    quantity: '36.000',
  };
  const carton = (factor: string) => [{ unit_id: 7, unit_name: '箱', factor, barcode: null }];

  it('keeps its quantity, in packs at the present rate or none', () => {
    expect(updateUnits(line, carton('12'), 'quantity')).toMatchObject({ pack_quantity: '3', quantity: '36.000' });
    expect(updateUnits(line, carton('10'), 'quantity')).toMatchObject({
      pack_quantity: '3.6',
      pack_factor: '10',
      quantity: '36.000',
    });
    expect(updateUnits(line, carton('7'), 'quantity')).toMatchObject({
      pack_unit_id: null,
      pack_quantity: '',
      quantity: '36.000',
    });
    expect(updateUnits(line, [], 'quantity')).toMatchObject({
      pack_unit_id: null,
      pack_quantity: '',
      quantity: '36.000',
    });
  });
});
