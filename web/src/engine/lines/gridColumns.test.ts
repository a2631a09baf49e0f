import { describe, expect, it } from 'vitest';
import { field, goodsLineFields, pricing } from '../fixtures';
import type { Proposal } from '../types';
import { gridFields, isStop, NUMBERS, STOCK } from './gridColumns';

describe('where Enter stops', () => {
  it('passes tyre numbers by, unless the bill is about them', () => {
    expect(isStop(field({ name: 'remark', type: 'text' }))).toBe(true);
    expect(isStop(field({ name: NUMBERS, type: 'text' }))).toBe(false);
    expect(isStop(field({ name: NUMBERS, type: 'text', required: true }))).toBe(true);
  });
});

describe('stock beside a line', () => {
  it('is read without prices where goods are taken out of it', () => {
    const priced = Object.values(pricing).filter((name) => name !== pricing.quantity);
    const fields = goodsLineFields.filter(({ name }) => !priced.includes(name));
    const names = (takes_available: boolean) => gridFields({ name: 'lines', label: '明细', fields, required: true, source: null, takes_available }, null).map(({ name }) => name);
    expect(names(true)).toEqual(names(false).toSpliced(names(false).indexOf('quantity') + 1, 0, STOCK.name));
  });

  const shown = (...proposals: Proposal[]) =>
    gridFields({ name: 'lines', label: '明细', fields: goodsLineFields, required: true, source: null, proposals }, pricing).includes(STOCK);

  it('is read unless the lines are proposed whole, with figures of their own', () => {
    const proposal = { label: '添加', api: 'v2/test/getProposal', by: ['company_id'] };
    expect([shown(), shown({ ...proposal, of: ['goods_id'] }), shown(proposal)]).toEqual([true, true, false]);
  });
});
