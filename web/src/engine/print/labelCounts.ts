import { decimalOrZero } from '../../lib/decimal';
import type { Row, Screen } from '../types';

/** Goods and how many labels of each. */
export interface LabelCount {
  goods_id: number;
  name: string;
  copies: number;
}

const GOODS_SCREEN = 'goods';
const MAX_COPIES = 2000;

/** Return whether a screen's rows are goods. */
export function isGoodsScreen(screen: Screen): boolean {
  return screen.name === GOODS_SCREEN;
}

/** The blocks of a bill whose rows are about goods. */
function goodsBlocks(screen: Screen) {
  return screen.blocks.filter((block) => block.fields.some((field) => field.ref?.resource === GOODS_SCREEN));
}

export function hasGoods(screen: Screen): boolean {
  return goodsBlocks(screen).length > 0;
}

/** One label for goods themselves, one for each piece of a bill's lines; a part of a piece counts as one. */
export function countLabels(screen: Screen, rows: Row[]): LabelCount[] {
  const lines = isGoodsScreen(screen)
    ? rows
    : rows.flatMap((row) => goodsBlocks(screen).flatMap((block) => (row[block.name] as Row[] | undefined) ?? []));
  const found = new Map<number, LabelCount>();
  for (const line of lines) {
    const goods_id = Number(line.goods_id);
    if (!goods_id) continue;
    const many = isGoodsScreen(screen) ? 1 : Math.max(1, decimalOrZero(line.quantity).ceil().toNumber());
    const name = [line.goods_num, line.goods_name].filter(Boolean).join(' ');
    const copies = Math.min(MAX_COPIES, (found.get(goods_id)?.copies ?? 0) + many);
    found.set(goods_id, { goods_id, name, copies });
  }
  return [...found.values()];
}
