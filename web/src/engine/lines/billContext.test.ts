import { describe, expect, it } from 'vitest';
import type { Field } from '../types';
import { refNarrow } from './billContext';

const ref = { resource: 'warehouse', api: 'v2/test/warehouse', value: 'warehouse_id', label: 'warehouse_name', search: [], filter_by: ['company_id'], only: { type: '1,3' } };
const warehouse = { name: 'warehouse_id', type: 'ref', ref } as unknown as Field;

describe('what narrows a reference', () => {
  it('is what it is fixed to and what it shares with the bill', () => {
    expect(refNarrow(warehouse, {}, { company_id: 7 })).toEqual({ type: '1,3', company_id: 7 });
    expect(refNarrow(warehouse, {}, { company_id: 0 })).toEqual({ type: '1,3' });
  });
});
