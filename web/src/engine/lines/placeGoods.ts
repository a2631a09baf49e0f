import type { GoodsRow, PackUnit } from '../queries';
import type { Field, Pricing } from '../types';
import { suggestedPrice } from './billContext';
import { addOne, fillGoods, isCounted, type LineRow } from './lineModel';
import type { LineStore } from './lineStore';

interface Placing {
  cell: Field;
  pricing: Pricing | null;
  goods: GoodsRow;
  scanned: boolean;
  /** What was scanned is a pack's. */
  pack?: PackUnit;
}

/** Puts goods on line `index`; scanned ones that a line holds already make one more, or a pack more, there. Answers where they came to. */
export function placeGoods(store: LineStore, index: number, { cell, pricing, goods, scanned, pack }: Placing): number {
  const held = scanned && isCounted(store.fields, pricing) ? store.get().findIndex((line) => holds(line, cell, goods)) : -1;
  if (held >= 0) {
    store.update(held, (line) => addOne(line, pricing, pack));
    return held;
  }
  const price = suggestedPrice(goods);
  store.update(store.ensure(index), (line) => fillGoods(line, { fields: store.fields, field: cell, pricing, goods, price, pack }));
  return index;
}

function holds(line: LineRow, cell: Field, goods: GoodsRow): boolean {
  return line.values[cell.name] === goods.goods_id && line.values.is_gift !== true;
}
