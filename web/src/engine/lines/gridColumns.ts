import { isNumberType } from '../../lib/validation';
import { isWritable } from '../fields/fieldRules';
import { shownFields, type Block, type Field, type Pricing, type Row } from '../types';
import { DISCOUNT_PRICE } from './discountPrice';
import { arrangeColumns, isGoodsField, TYRE_NUMBERS_FIELD } from './columnLayout';
import { goodsField, isEditable } from './lineModel';
import { isPackField, quantityField } from './packs';

/** The grid's columns: the block's fields, with stock and last price beside goods. */

function buildInfoColumn(name: string, label: string, type: Field['type']): Field {
  return {
    name,
    label,
    type,
    required: false,
    readonly: true,
    list: true,
    search: false,
    form: false,
    total: false,
    width: 90,
    max_length: null,
    default: null,
    options: null,
    ref: null,
    label_field: null,
    rule: null,
    bounds: null,
    masked: false,
    copied: false,
    hidden: false,
  };
}

export const STOCK_COLUMN = buildInfoColumn('available_stocks', '可用库存', 'quantity');
const LAST_PRICE_COLUMN = buildInfoColumn('last_price', '最近价', 'price');
/** The discount by piece: a column that shows where it is chosen. */
const DISCOUNT_PRICE_COLUMN: Field = {
  ...buildInfoColumn(DISCOUNT_PRICE, '优惠单价', 'price'),
  form: true,
  readonly: false,
  rule: 'Positive',
  optional: true,
};
const PRICE_SOURCE_COLUMN = buildInfoColumn('price_source', '价格来源', 'text');

/** The columns of a stored bill's lines. */
export function detailFields(block: Block, pricing: Pricing | null): Field[] {
  return arrangeColumns(
    goodsFirst(block).filter((field) => field.list),
    pricing,
  );
}

/** The columns of lines that are keyed in. */
export function gridFields(block: Block, pricing: Pricing | null): Field[] {
  const shown = goodsFirst(block).filter((field) => field.list || isEditable(field, pricing));
  // The figures of what was proposed are why it was; what lines lack is proposed for what they are.
  const whole = block.source !== null || block.proposals?.some((proposal) => !proposal.of?.length);
  const quantity = quantityField(pricing);
  const stocked = pricing !== null || block.takes_available === true;
  const counted = stocked || shown.some((field) => field.name === quantity && field.form);
  if (whole || goodsField(block) === undefined || !counted) return arrangeColumns(shown, pricing);
  const columns = shown.filter((field) => isKnownWhileKeying(field, pricing));
  const fields = arrangeColumns(columns, pricing, stocked ? [STOCK_COLUMN] : []);
  const total = fields.findIndex((field) => field.name === pricing?.total);
  const by = total < 0 ? total : Math.max(total, fields.indexOf(STOCK_COLUMN));
  return fields.flatMap((field, place) => {
    if (place === by) return [field, LAST_PRICE_COLUMN, PRICE_SOURCE_COLUMN];
    if (field.name === pricing?.discount && isWritable(field)) return [DISCOUNT_PRICE_COLUMN, field];
    return [field];
  });
}

/** A table of goods begins with them, also where they come from a source. */
function goodsFirst(block: Block): Field[] {
  const columns = shownFields(block);
  if (!columns.some(isGoodsField)) return columns;
  return block.fields.filter((field) => columns.includes(field));
}

/** Return whether a field is known while keying in; cost, executed and returned quantities come after the audit. */
function isKnownWhileKeying(field: Field, pricing: Pricing | null): boolean {
  return field.form || !isNumberType(field.type) || Object.values(pricing ?? {}).includes(field.name);
}

/**
 * Return whether Enter stops at a column: what has to be keyed in. Optional references (location, batch: the oldest
 * goes first), tyre numbers, flags and derived figures are reached with Tab, arrows or the mouse.
 */
export function isStop(field: Field): boolean {
  return (
    isWritable(field) &&
    field.type !== 'bool' &&
    field.name !== DISCOUNT_PRICE &&
    (field.required || field.name !== TYRE_NUMBERS_FIELD) &&
    (field.type !== 'ref' || field.required)
  );
}

export type Figure = 'quantity' | 'price' | 'discount';

export const FIGURE_LABELS: Record<Figure, string> = { quantity: '数量', price: '单价', discount: '优惠金额' };

/** The column of a figure that is keyed in; where lines have no quantity of that name, the first they have. -1 for none. */
export function figureColumn(columns: Field[], pricing: Pricing | null, figure: Figure): number {
  const named = columns.findIndex((field) => field.name === pricing?.[figure]);
  if (named >= 0 || figure !== 'quantity') return named;
  const quantities = columns.filter((field) => field.type === 'quantity' && isWritable(field) && !isPackField(field));
  const counted = quantities.find((field) => field.name === quantityField(pricing)) ?? quantities[0];
  return counted ? columns.indexOf(counted) : -1;
}

/** Return the initial column: the quantity if the line has its goods, so that a digit is one. */
export function startColumn(columns: Field[], pricing: Pricing | null, line: Row | undefined): number {
  const goods = columns.find((field) => field.ref?.resource === 'goods');
  const filled = line !== undefined && goods !== undefined && Boolean(line[goods.name]);
  return filled ? Math.max(0, figureColumn(columns, pricing, 'quantity')) : 0;
}

export interface Cursor {
  row: number;
  col: number;
}

/** The next editable cell, reading order; `row` equals `rows` where a new line is wanted. */
export function nextCell(cursor: Cursor, editable: boolean[], rows: number): Cursor {
  const later = editable.findIndex((yes, col) => yes && col > cursor.col);
  if (later >= 0) return { row: cursor.row, col: later };
  const first = Math.max(0, editable.indexOf(true));
  return { row: Math.min(cursor.row + 1, rows), col: first };
}

export function previousCell(cursor: Cursor, editable: boolean[]): Cursor {
  for (let col = cursor.col - 1; col >= 0; col--) if (editable[col]) return { row: cursor.row, col };
  if (cursor.row === 0) return cursor;
  return { row: cursor.row - 1, col: Math.max(0, editable.lastIndexOf(true)) };
}
