import { describe, expect, it } from 'vitest';
import type { Field } from '../types';
import { buildGoodsQuery, buildRefQuery } from './billContext';

const ref = {
  resource: 'warehouse',
  api: 'v2/test/warehouse',
  value: 'warehouse_id',
  label: 'warehouse_name',
  search: [],
  filter_by: ['company_id'],
  only: { type: '1,3' },
};
const warehouse = { name: 'warehouse_id', type: 'ref', ref } as unknown as Field;

describe('what narrows a reference', () => {
  it('is what it is fixed to and what it shares with the bill', () => {
    expect(buildRefQuery(warehouse, {}, { company_id: 7 })).toEqual({ type: '1,3', company_id: 7 });
    expect(buildRefQuery(warehouse, {}, { company_id: 0 })).toEqual({ type: '1,3' });
  });
});

describe('what goods are asked for with', () => {
  it("is the bill's partner and its day, whose prices they have", () => {
    const header = { customer_id: '7', supplier_id: null, business_date: '2026-03-05' };
    expect(buildGoodsQuery({ bill: 'sales_order', header: () => header })).toEqual({
      bill_type: 'sales_order',
      customer_id: 7,
      business_date: '2026-03-05',
    });
  });
});
