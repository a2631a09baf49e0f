import { describe, expect, it } from 'vitest';
import { goodsLineFields } from '../fixtures';
import type { GoodsPlace, GoodsRow } from '../queries';
import type { Field } from '../types';
import { isBatchKnown, newLine } from './lineModel';
import { createLineStore } from './lineStore';
import { placeGoods } from './placeGoods';

const byName = (name: string) => goodsLineFields.find((one) => one.name === name)!;
const ref = (resource: string, filter_by: string[] = []) => ({ ...byName('goods_id').ref!, resource, filter_by });
const fields: Field[] = [
  byName('goods_id'),
  {
    ...byName('goods_id'),
    name: 'allocation_id',
    label: '库位',
    label_field: 'allocation_name',
    required: false,
    ref: ref('allocation', ['warehouse_id']),
  },
  { ...byName('remark'), name: 'batch', label: '批次(DOT)' },
];
const place = (allocation_id: number | null, batch: string | null): GoodsPlace =>
  ({ allocation_id, allocation_name: allocation_id && `库位${allocation_id}`, batch, quantity: '8' }) as GoodsPlace;
const goods = (places: GoodsPlace[] | null): GoodsRow => ({
  goods_id: 11,
  goods_num: 'MX205',
  goods_name: '米其林',
  is_batch: true,
  places,
});
const counted = (places: GoodsPlace[] | null) => {
  const store = createLineStore(fields, [newLine(fields)]);
  placeGoods(store, 0, { cell: fields[0]!, pricing: null, goods: goods(places), scanned: false });
  return store;
};
const spots = (store: ReturnType<typeof counted>) =>
  store.get().map(({ values }) => [values.goods_id, values.allocation_id ?? null, values.batch ?? null]);

describe('goods that are counted where they lie', () => {
  it('take the only place', () => expect(spots(counted([place(5, '0126')]))).toEqual([[11, 5, '0126']]));
  it('take a line for each of several places', () =>
    expect(spots(counted([place(null, '0126'), place(5, '0226')]))).toEqual([
      [11, null, '0126'],
      [11, 5, '0226'],
    ]));
  it('leave the places that lines count already', () => {
    const store = counted([place(null, '0126'), place(5, '0226')]);
    store.remove(1);
    placeGoods(store, 1, {
      cell: fields[0]!,
      pricing: null,
      goods: goods([place(null, '0126'), place(5, '0226')]),
      scanned: false,
    });
    expect(spots(store)).toEqual([
      [11, null, '0126'],
      [11, 5, '0226'],
    ]);
  });
  it('stay where they are in other bills', () => expect(spots(counted(null))).toEqual([[11, null, null]]));
  it('are not asked for a batch that is told', () => {
    const batch = fields[2]!;
    expect(isBatchKnown(batch, counted([place(5, '0126')]).get()[0]!.values)).toBe(true);
    expect(isBatchKnown(batch, counted([]).get()[0]!.values)).toBe(false);
  });
});
