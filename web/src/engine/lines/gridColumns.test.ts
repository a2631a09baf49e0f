import { describe, expect, it } from 'vitest';
import { buildField, goodsLineFields, pricing } from '../fixtures';
import type { Field, Proposal } from '../types';
import { gridFields, isStop, detailFields, STOCK_COLUMN } from './gridColumns';
import { INDEX_WIDTH, TYRE_NUMBERS_FIELD, GRID_WIDTH } from './columnLayout';

describe('where Enter stops', () => {
  it('passes tyre numbers by, unless the bill is about them', () => {
    expect(isStop(buildField({ name: 'remark', type: 'text' }))).toBe(true);
    expect(isStop(buildField({ name: TYRE_NUMBERS_FIELD, type: 'text' }))).toBe(false);
    expect(isStop(buildField({ name: TYRE_NUMBERS_FIELD, type: 'text', required: true }))).toBe(true);
  });
});

describe('the lines of a stored bill', () => {
  const block = (fields: Field[]) => ({ name: 'lines', label: '明细', fields, required: true, source: null });
  const stored = [
    ...goodsLineFields.slice(0, 2),
    buildField({ name: 'pattern', form: false, width: 140 }),
    ...goodsLineFields.slice(2),
  ];

  it('show what of how many for how much on a small screen', () => {
    const columns = detailFields(block(stored), pricing);
    expect(
      columns
        .filter(({ optional }) => !optional)
        .slice(0, 6)
        .map(({ name }) => name),
    ).toEqual(['goods_id', 'goods_num', 'pattern', 'quantity', 'price', 'amount']);
    expect(columns.find(({ name }) => name === 'pattern')?.width).toBe(100);
    expect(new Set(columns.map(({ name }) => name))).toEqual(new Set(stored.map(({ name }) => name)));
  });
  it('show how many where they have no price, and stand as they are without goods', () => {
    const unpriced = stored.filter(
      ({ name, optional }) => !optional && (name === pricing.quantity || !Object.values(pricing).includes(name)),
    );
    expect(
      detailFields(block(unpriced), null)
        .slice(2, 5)
        .map(({ name }) => name),
    ).toEqual(['pattern', 'quantity', 'batch_id']);
    expect(detailFields(block(stored.slice(1)), null)).toEqual(stored.slice(1));
  });
});

describe('columns that are more than a small screen has room for', () => {
  const wide = (name: string, marks: Partial<Field> = {}) => buildField({ name, form: false, width: 140, ...marks });
  const told = [
    goodsLineFields[0]!,
    wide('goods_num'),
    wide('specification'),
    wide('pattern'),
    wide('unit', { width: 70 }),
  ];
  const rest = goodsLineFields.slice(2).map((one) => ({ ...one, width: 110 }));
  const batch = buildField({ name: 'batch', width: 110 });
  const columns = gridFields(
    { name: 'lines', label: '明细', fields: [...told, batch, ...rest], required: true, source: null },
    pricing,
  ).filter(({ optional }) => !optional);
  const upTo = (name: string) =>
    columns
      .slice(0, columns.findIndex((one) => one.name === name) + 1)
      .reduce((sum, { width }) => sum + width, INDEX_WIDTH);

  it('have what is keyed in and the total in sight; what goods are told apart by gives way, but for the code', () => {
    expect(columns.slice(0, 10).map(({ name }) => name)).toEqual([
      'goods_id',
      'goods_num',
      'specification',
      'pattern',
      'unit',
      'batch',
      'quantity',
      'price',
      'amount',
      STOCK_COLUMN.name,
    ]);
    expect(upTo('amount')).toBeLessThanOrEqual(GRID_WIDTH);
    expect(columns.slice(1, 5).map(({ width }) => width)).toEqual([88, 96, 96, 67]);
  });

  it('stand where somebody says that they decide', () => {
    const counted = buildField({ name: 'counted', type: 'quantity' });
    const book = buildField({ name: 'book', type: 'quantity', form: false, readonly: true, decides: true });
    const cost = buildField({ name: 'cost', type: 'price', decides: false });
    const block = {
      name: 'lines',
      label: '明细',
      fields: [...told, batch, cost, wide('note'), book, counted],
      required: true,
      source: null,
    };
    expect(
      gridFields(block, null)
        .slice(5)
        .map(({ name }) => name),
    ).toEqual(['batch', 'book', 'counted', 'cost', 'note']);
  });
});

describe('stock beside a line', () => {
  it('is read without prices where goods are taken out of it; how many comes first all the same', () => {
    const priced = Object.values(pricing).filter((name) => name !== pricing.quantity);
    const received = buildField({ name: 'executed_quantity', type: 'quantity', form: false });
    const fields = [...goodsLineFields, received].filter(({ name }) => !priced.includes(name));
    const names = (takes_available: boolean) =>
      gridFields({ name: 'lines', label: '明细', fields, required: true, source: null, takes_available }, null).map(
        ({ name }) => name,
      );
    expect(names(false)).toEqual([
      'goods_id',
      'goods_num',
      'pack_unit_id',
      'pack_quantity',
      'quantity',
      'batch_id',
      'is_gift',
      'remark',
    ]);
    expect(names(true)).toEqual([
      'goods_id',
      'goods_num',
      'pack_unit_id',
      'pack_quantity',
      'quantity',
      STOCK_COLUMN.name,
      'batch_id',
      'is_gift',
      'remark',
    ]);
  });

  const shown = (...proposals: Proposal[]) =>
    gridFields(
      { name: 'lines', label: '明细', fields: goodsLineFields, required: true, source: null, proposals },
      pricing,
    ).includes(STOCK_COLUMN);

  it('is read unless the lines are proposed whole, with figures of their own', () => {
    const proposal = { label: '添加', api: 'v2/test/getProposal', by: ['company_id'] };
    expect([shown(), shown({ ...proposal, of: ['goods_id'] }), shown(proposal)]).toEqual([true, true, false]);
  });
});
