import { decimalOrZero } from '../../lib/decimal';
import { showMessage } from '../../lib/errors';
import { isEmptyRef } from '../fields/fieldValue';
import { ORDER_LINE_FIELD, type LineRow } from '../lines/lineModel';
import type { Pricing, Row, Screen } from '../types';

/** Handling of proposed prices when the head fields that they depend on change, and the notice about it. */

const PARTNER_FIELDS = new Set(['customer_id', 'supplier_id']);
const PRICE_BASIS_FIELDS = ['company_id', 'warehouse_id', 'customer_id', 'supplier_id', 'business_date'];
const LAST_PRICE_SOURCE = '上次价';
const NOTICE_SECONDS = 6;

/** The names of the head's fields that prices follow and that differ between two narrowings of goods, written as JSON. */
export function listChangedFields(before: string, after: string): string[] {
  const [was, is] = [JSON.parse(before) as Row, JSON.parse(after) as Row];
  return PRICE_BASIS_FIELDS.filter((name) => was[name] !== is[name]);
}

/** Show one notice: how many prices have changed, by their source, and after a change of partner how many have not. */
export function showPriceChanges(
  screen: Screen,
  changed: string[],
  pricing: Pricing,
  before: LineRow[],
  after: LineRow[],
): void {
  const priceOf = (line: LineRow) => decimalOrZero(line.values[pricing.price]);
  const moved = after.filter((line, at) => before[at]!.values.price_source && !priceOf(line).eq(priceOf(before[at]!)));
  const stayed = after.filter(
    (line, at) => !before[at]!.values.price_source && isOwnPrice(line) && !priceOf(line).isZero(),
  );
  const labels = changed.map((name) => screen.fields.find((field) => field.name === name)?.label).filter(Boolean);
  const texts: string[] = [];
  if (moved.length > 0) {
    const counts = new Map<string, number>();
    for (const line of moved) counts.set(describePriceSource(line), (counts.get(describePriceSource(line)) ?? 0) + 1);
    texts.push(
      `已按新的${labels.join('、')}重新带出${moved.length}行单价：${[...counts].map(([source, count]) => `${source}${count}行`).join('；')}`,
    );
  }
  if (stayed.length > 0 && changed.some((name) => PARTNER_FIELDS.has(name)))
    texts.push(`${stayed.length}行单价是手工录入或原有的，没有改动`);
  if (texts.length > 0) showMessage('info', texts.join('。'), NOTICE_SECONDS);
}

function describePriceSource({ values: { price_source: source, last_price: last } }: LineRow): string {
  if (!source) return '没有可带出的价格';
  return source === LAST_PRICE_SOURCE || (last ?? null) !== null
    ? String(source)
    : `没有${LAST_PRICE_SOURCE}，取${String(source)}`;
}

/** Gifts cost nothing whoever gets them; what an order says is agreed. */
function isOwnPrice({ values }: LineRow): boolean {
  return values.is_gift !== true && isEmptyRef(values[ORDER_LINE_FIELD]);
}
