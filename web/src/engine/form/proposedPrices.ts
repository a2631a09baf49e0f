import { decimalOrZero } from '../../lib/decimal';
import { showMessage } from '../../lib/errors';
import { isEmptyRef } from '../fields/fieldValue';
import { ORDER_LINE, type LineRow } from '../lines/lineModel';
import type { Pricing, Row, Screen } from '../types';

/** What becomes of prices that were proposed when the head that they were proposed for changes, and what is told of it. */

const PARTNERS = new Set(['customer_id', 'supplier_id']);
const FOLLOWED = ['company_id', 'warehouse_id', 'customer_id', 'supplier_id', 'business_date'];
const LAST_PRICE = '上次价';
const SECONDS = 6;

/** The names of the head's fields that prices follow and that differ between two narrowings of goods, written as JSON. */
export function changedNames(before: string, after: string): string[] {
  const [was, is] = [JSON.parse(before) as Row, JSON.parse(after) as Row];
  return FOLLOWED.filter((name) => was[name] !== is[name]);
}

/** Tells in one notice how many prices have changed, by where they come from now, and of another partner how many have not. */
export function tellPrices(screen: Screen, changed: string[], pricing: Pricing, before: LineRow[], after: LineRow[]): void {
  const priceOf = (line: LineRow) => decimalOrZero(line.values[pricing.price]);
  const moved = after.filter((line, at) => before[at]!.values.price_source && !priceOf(line).eq(priceOf(before[at]!)));
  const stayed = after.filter((line, at) => !before[at]!.values.price_source && isOwnPrice(line) && !priceOf(line).isZero());
  const labels = changed.map((name) => screen.fields.find((field) => field.name === name)?.label).filter(Boolean);
  const told: string[] = [];
  if (moved.length > 0) {
    const counts = new Map<string, number>();
    for (const line of moved) counts.set(sourceOf(line), (counts.get(sourceOf(line)) ?? 0) + 1);
    told.push(`已按新的${labels.join('、')}重新带出${moved.length}行单价：${[...counts].map(([source, count]) => `${source}${count}行`).join('；')}`);
  }
  if (stayed.length > 0 && changed.some((name) => PARTNERS.has(name))) told.push(`${stayed.length}行单价是手工录入或原有的，没有改动`);
  if (told.length > 0) showMessage('info', told.join('。'), SECONDS);
}

function sourceOf({ values: { price_source: source, last_price: last } }: LineRow): string {
  if (!source) return '没有可带出的价格';
  return source === LAST_PRICE || (last ?? null) !== null ? String(source) : `没有${LAST_PRICE}，取${String(source)}`;
}

/** Gifts cost nothing whoever gets them; what an order says is agreed. */
function isOwnPrice({ values }: LineRow): boolean {
  return values.is_gift !== true && isEmptyRef(values[ORDER_LINE]);
}
