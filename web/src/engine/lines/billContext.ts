import type { Query } from '../../lib/api';
import { isEmptyRef } from '../fields/fieldValue';
import type { GoodsRow } from '../queries';
import type { Field, Row } from '../types';
import { isBatch, ORDER_LINE_FIELD } from './lineModel';

/** Context that the bill gives its lines' pickers. */
export interface BillContext {
  /** The screen's name; the server tells by it whose last price is meant. */
  bill: string;
  header: () => Row;
  /** The lines of sales orders that the bill ships: what they have reserved is there for it. */
  orders?: () => number[];
  /** The bill's amount is keyed in, to be spread over what it settles; without one its lines settle each other. */
  paid?: boolean;
}

const GOODS_QUERY_FIELDS = ['company_id', 'warehouse_id', 'customer_id', 'supplier_id'];

/** Goods are asked for with the bill's company, warehouse, partner and day, whose stock and prices are shown. */
export function buildGoodsQuery(context: BillContext): Query {
  const header = context.header();
  const known = GOODS_QUERY_FIELDS.filter((name) => !isEmptyRef(header[name]));
  const day = header.business_date ? { business_date: String(header.business_date) } : {};
  const orders = context.orders?.() ?? [];
  return {
    bill_type: context.bill,
    ...Object.fromEntries(known.map((name) => [name, Number(header[name])])),
    ...day,
    ...(orders.length > 0 && { order_line_ids: orders.join(',') }),
  };
}

/** The values that narrow a reference: those it is fixed to, then the line's own, then the header's. */
export function buildRefQuery(field: Field, line: Row, header: Row): Query {
  const narrow: Query = { ...field.ref?.only };
  for (const name of field.ref?.filter_by ?? []) {
    const value = isEmptyRef(line[name]) ? header[name] : line[name];
    if (!isEmptyRef(value)) narrow[name] = Number(value);
  }
  if (!isBatch(field)) return narrow;
  // A batch is taken where the bill takes its goods, for the order that it ships.
  const places = {
    warehouse_id: header.warehouse_id,
    allocation_id: line.allocation_id,
    [ORDER_LINE_FIELD]: line[ORDER_LINE_FIELD],
  };
  for (const [name, value] of Object.entries(places)) if (!isEmptyRef(value)) narrow[name] = Number(value);
  return narrow;
}

/** The price that the server says holds for the bill's partner. */
export function suggestedPrice(goods: GoodsRow): unknown {
  return goods.unit_price ?? null;
}
