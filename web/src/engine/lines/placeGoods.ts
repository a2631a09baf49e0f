import type { GoodsPlace, GoodsRow, PackUnit } from '../queries';
import type { Field, Pricing } from '../types';
import { suggestedPrice } from './billContext';
import { incrementQuantity, fillGoods, hasWritableQuantity, newLine, type LineRow } from './lineModel';
import type { LineStore } from './lineStore';

interface PlacementOptions {
  cell: Field;
  pricing: Pricing | null;
  goods: GoodsRow;
  scanned: boolean;
  /** Pack that was scanned. */
  pack?: PackUnit;
}

/** Puts goods on line `index`; scanned ones that a line holds already make one more, or a pack more, there. Answers where they came to. */
export function placeGoods(
  store: LineStore,
  index: number,
  { cell, pricing, goods, scanned, pack }: PlacementOptions,
): number {
  const present =
    scanned && hasWritableQuantity(store.fields, pricing)
      ? store.get().findIndex((line) => containsGoods(line, cell, goods))
      : -1;
  if (present >= 0) {
    store.update(present, (line) => incrementQuantity(line, pricing, pack));
    return present;
  }
  const others = store.get().filter((line, at) => at !== index && line.values[cell.name] === goods.goods_id);
  const fill = (line: LineRow, place?: GoodsPlace) =>
    fillGoods(line, { fields: store.fields, field: cell, pricing, goods, price: suggestedPrice(goods), pack, place });
  const [first, ...more] = (goods.places ?? []).filter((place) => !others.some((line) => isAtPlace(line, place)));
  store.update(store.ensureLine(index), (line) => fill(line, first));
  // What lies at several places is counted at each.
  if (more.length > 0)
    store.set((lines) => lines.toSpliced(index + 1, 0, ...more.map((place) => fill(newLine(store.fields), place))));
  return index;
}

function isAtPlace({ values }: LineRow, place: GoodsPlace): boolean {
  return Number(values.allocation_id ?? 0) === (place.allocation_id ?? 0) && (values.batch || null) === place.batch;
}

function containsGoods(line: LineRow, cell: Field, goods: GoodsRow): boolean {
  return line.values[cell.name] === goods.goods_id && line.values.is_gift !== true;
}
