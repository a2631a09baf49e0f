import { Decimal, decimalOrZero, isMasked, parseDecimal, ZERO } from '../../lib/decimal';
import { parseDate } from '../../lib/format';
import { ValueLimitError, priceLine, type PricingEdit } from '../../lib/pricing';
import { parseNumberEntry } from '../../lib/numberEntry';
import { isNumberType, labelProblem } from '../../lib/validation';
import { isWritable, rowProblems, type FieldProblems } from '../fields/fieldRules';
import { isEmptyRef, isEmptyValue } from '../fields/fieldValue';
import type { GoodsPlace, GoodsRow, PackUnit } from '../queries';
import type { Block, Field, Pricing, Row } from '../types';
import { NO_PACK, PACK_FIELDS, buildPackValues, quantityField, recomputePacks, readUnits } from './packs';
import { DISCOUNT_BY_PIECE, DISCOUNT_PRICE } from './discountPrice';
import { updateAfterTyping, readDrawnSource, isSourceDecided } from './sourceShares';

/** One line of a bill's grid: its values, and what is wrong with which of them. Pure; the grid only draws it. */
export interface LineRow {
  key: string;
  values: Row;
  problems: FieldProblems;
  /** Those of pasted cells that could not be taken: only typing or emptying such a cell settles them. */
  refused: FieldProblems;
}

let nextKey = 0;

export function newLine(fields: Field[], values: Row = {}): LineRow {
  const preset = fields.filter(
    (f) => isWritable(f) && f.default !== null && !(isNumberType(f.type) && isZero(f, f.default)),
  );
  const defaults = Object.fromEntries(preset.map((f) => [f.name, f.default]));
  return { key: `line${++nextKey}`, values: { ...defaults, ...values }, problems: {}, refused: {} };
}

/** A line nobody wrote on: it differs from a new one in nothing the server would take. */
export function isBlankLine(fields: Field[], line: LineRow): boolean {
  if (Object.keys(line.problems).length > 0) return false;
  return fields
    .filter(isWritable)
    .every(
      (f) =>
        isEmptyValue(f, line.values[f.name]) ||
        String(line.values[f.name]) === String(f.default) ||
        isZero(f, line.values[f.name]),
    );
}

function isZero(field: Field, value: unknown): boolean {
  return (isNumberType(field.type) && decimalOrZero(value).isZero()) || value === false;
}

export function goodsField(block: Block): Field | undefined {
  return block.fields.find((field) => field.ref?.resource === 'goods' && isWritable(field));
}

/** A batch that goods are taken from; what comes in names its batch as a text. */
export function isBatch(field: Field | undefined): boolean {
  return field?.ref?.resource === 'goods_batch' && isWritable(field);
}

/** The line of a sales order that a line ships. */
export const ORDER_LINE_FIELD = 'order_line_id';

/** Kind of stock shortage of a line: more than is available, or less than the safety stock left. */
export type Shortage = 'available' | 'safety';

/** Return whether the line has to name an incoming batch, since its goods are kept by batches. */
export function needsBatch(field: Field, line: Row): boolean {
  return field.name === 'batch' && isWritable(field) && line.is_batch === true;
}

/**
 * Build the goods' information of a line, which isn't sent. Stock reserved by the line's own order counts as available.
 */
export function buildGoodsInfo(goods: GoodsRow, line: Row): Row {
  const reserved = goods.held?.[String(line[ORDER_LINE_FIELD])] ?? null;
  const free = goods.available_stocks ?? null;
  const available_stocks = reserved === null ? free : Decimal.max(decimalOrZero(free), ZERO).plus(reserved).toString();
  const { safety_stock = null, last_price = null, is_batch = null } = goods;
  return {
    available_stocks,
    held_stocks: reserved,
    safety_stock,
    last_price,
    is_batch,
    is_placed: goods.places ? true : null,
  };
}

/**
 * Lines that take goods which are asked for, by all lines together, beyond what is available or so that less
 * than the safety stock is left; only a hint, since the stock is looked at when the bill is audited.
 */
export function findShortages(block: Block, lines: LineRow[], pricing: Pricing | null): Map<string, Shortage> {
  const cell = goodsField(block);
  if (!cell || !block.takes_available) return new Map();
  const beyond = sumUnreserved(lines, cell.name, quantityField(pricing));
  const shortage = ({ values }: LineRow): Shortage | null => {
    const [available, least] = [parseDecimal(values.available_stocks), parseDecimal(values.safety_stock)];
    const left = available?.minus(decimalOrZero(values.held_stocks)).minus(beyond.get(values[cell.name])!);
    if (left?.isNegative()) return 'available';
    return left && least && left.lessThan(least) ? 'safety' : null;
  };
  return new Map(
    lines.flatMap((line) =>
      [[line.key, shortage(line)] as const].filter((pair): pair is [string, Shortage] => pair[1] !== null),
    ),
  );
}

/**
 * Sum per goods the quantity beyond the reservations of the lines' own orders; lines of one order line share its
 * reservation.
 */
function sumUnreserved(lines: LineRow[], goods: string, quantity: string): Map<unknown, Decimal> {
  const demands = new Map<string, { of: unknown; count: Decimal; held: Decimal }>();
  for (const { values } of lines) {
    const key = `${String(values[goods])}:${String(values[ORDER_LINE_FIELD])}`;
    const before = demands.get(key)?.count ?? ZERO;
    demands.set(key, {
      of: values[goods],
      count: before.plus(decimalOrZero(values[quantity])),
      held: decimalOrZero(values.held_stocks),
    });
  }
  const beyond = new Map<unknown, Decimal>();
  for (const { of, count, held } of demands.values())
    beyond.set(of, (beyond.get(of) ?? ZERO).plus(Decimal.max(count.minus(held), ZERO)));
  return beyond;
}

/** The total may be typed although the server derives it: the price follows from it. */
export function isEditable(field: Field, pricing: Pricing | null): boolean {
  if (isWritable(field)) return true;
  return pricing !== null && field.name === pricing.total && !field.masked;
}

export interface CellEntry {
  line: LineRow;
  /** Message for the user; the value is then cleared or set to what is allowed. */
  problem: string | null;
}

/** Apply text typed into a cell to the line. References and choices come through `chooseCell`. */
export function typeCell(line: LineRow, field: Field, text: string, pricing: Pricing | null): CellEntry {
  if (field.name === PACK_FIELDS.quantity && text.trim() !== '' && readUnits(line.values)?.length === 0) {
    return { line, problem: labelProblem(field.label, '该商品没有辅助单位') };
  }
  if (isNumberType(field.type)) {
    const { value, problem } = parseNumberEntry(text, { ...field, type: field.type }, 'cell');
    const entry = reprice(line, { [field.name]: value }, pricing, field.name);
    return problem === null ? entry : { ...entry, problem: labelProblem(field.label, problem) };
  }
  if (field.type === 'date') {
    const day = text.trim() === '' ? null : parseDate(text);
    if (day === null && text.trim() !== '')
      return { line, problem: labelProblem(field.label, '日期格式应为 YYYY-MM-DD') };
    return { line: applyChanges(line, { [field.name]: day }, pricing, field.name), problem: null };
  }
  const trimmed = text.trim();
  if (field.max_length !== null && [...trimmed].length > field.max_length) {
    return { line, problem: labelProblem(field.label, `不能超过${field.max_length}个字`) };
  }
  return { line: applyChanges(line, { [field.name]: trimmed }, pricing, field.name), problem: null };
}

/** Sets a reference (with its label), a choice or a flag; null empties it. */
export function chooseCell(
  line: LineRow,
  field: Field,
  value: unknown,
  label: string | null,
  pricing: Pricing | null,
): LineRow {
  const changes: Row = { [field.name]: value };
  if (field.label_field !== null) changes[field.label_field] = label;
  return applyChanges(line, changes, pricing, field.name);
}

/** Empties a cell; a priced line is repriced, and without its goods a line knows nothing of them. */
export function clearCell(line: LineRow, field: Field, pricing: Pricing | null, fields: Field[] = []): LineRow {
  if (field.type === 'ref') {
    const cleared = chooseCell(line, field, null, null, pricing);
    return field.ref?.resource === 'goods'
      ? { ...cleared, values: { ...cleared.values, ...emptyGoodsValues(fields, pricing) } }
      : cleared;
  }
  return applyChanges(
    line,
    { [field.name]: field.type === 'bool' ? false : isNumberType(field.type) ? '' : null },
    pricing,
    field.name,
  );
}

function emptyGoodsValues(fields: Field[], pricing: Pricing | null): Row {
  const readAlong = fields
    .filter((field) => !field.form && !isPricingField(pricing, field.name))
    .map((field) => field.name);
  return Object.fromEntries(
    [
      ...readAlong,
      'available_stocks',
      'held_stocks',
      'safety_stock',
      'last_price',
      'is_batch',
      'is_placed',
      'price_source',
      'barcode',
      'units',
      ...Object.keys(NO_PACK),
    ].map((name) => [name, null]),
  );
}

export interface GoodsFill {
  fields: Field[];
  field: Field;
  pricing: Pricing | null;
  goods: GoodsRow;
  price: unknown;
  /** The pack that was scanned. */
  pack?: PackUnit;
  /** Place where the line counts the goods; goods at one place only take it by themselves. */
  place?: GoodsPlace;
}

/** Return a line's values for a place, or empty ones. */
function buildPlaceValues(fields: Field[], place: GoodsPlace | undefined): Row {
  const location = fields.find((field) => field.ref?.resource === 'allocation' && isWritable(field));
  return {
    batch: place?.batch ?? null,
    ...(location && {
      [location.name]: place?.allocation_id ?? null,
      [location.label_field ?? '']: place?.allocation_name ?? null,
    }),
  };
}

/** Return whether Enter may skip a batch: counted goods have named theirs, or have none. */
export function isBatchKnown(field: Field, line: Row): boolean {
  return (
    field.name === 'batch' && line.is_placed === true && (line.is_batch !== true || !isEmptyValue(field, line.batch))
  );
}

/** Puts goods on a line: names, size, tax rate, suggested price, stock and last price; quantity 1, or a pack, when none was typed. */
export function fillGoods(line: LineRow, { fields, field, pricing, goods, price, pack, place }: GoodsFill): LineRow {
  const changes: Row = {
    [field.name]: goods.goods_id,
    ...NO_PACK,
    ...(pack && buildPackValues(pack)),
    units: goods.units ?? [],
  };
  if (field.label_field !== null) changes[field.label_field] = goods.goods_name;
  for (const shown of fields) {
    if (!shown.form && shown.name in goods && !isPricingField(pricing, shown.name))
      changes[shown.name] = goods[shown.name];
  }
  Object.assign(changes, buildGoodsInfo(goods, line.values));
  changes.price_source = goods.price_source ?? null;
  changes.barcode = goods.barcode ?? null;
  const quantity = quantityField(pricing);
  if (hasWritableQuantity(fields, pricing) && decimalOrZero(line.values[quantity]).isZero())
    changes[quantity] = pack?.factor ?? '1';
  if (pricing) {
    if (pricing.tax_rate && parseDecimal(goods.tax_rate)) changes[pricing.tax_rate] = goods.tax_rate;
    if (parseDecimal(price)) changes[pricing.price] = price;
  }
  // Another goods has another location and batch.
  for (const other of fields) {
    if (other.ref?.filter_by.includes(field.name)) {
      changes[other.name] = null;
      if (other.label_field) changes[other.label_field] = null;
    }
  }
  if (goods.places)
    Object.assign(
      changes,
      buildPlaceValues(fields, place ?? (goods.places.length === 1 ? goods.places[0] : undefined)),
    );
  const filled = applyChanges(line, changes, pricing, quantity in changes || pricing ? quantity : field.name);
  return {
    ...filled,
    problems: omitProblem(filled.problems, field.name),
    refused: omitProblem(filled.refused, field.name),
  };
}

/** A line with the price that is proposed by now, none included, unless it was typed or nobody may see it. */
export function updateProposedPrice(line: LineRow, pricing: Pricing, price: unknown, source: string | null): LineRow {
  if (!line.values.price_source || isMasked(line.values[pricing.price]) || isMasked(price)) return line;
  const known = parseDecimal(price) !== null;
  return applyChanges(
    line,
    { [pricing.price]: known ? price : '', price_source: known ? source : null },
    pricing,
    pricing.price,
  );
}

/** Return whether scans add to a quantity of the lines; a stocktake has counts of its own. */
export function hasWritableQuantity(fields: Field[], pricing: Pricing | null): boolean {
  return fields.some((field) => field.name === quantityField(pricing) && isWritable(field));
}

/** A repeated scan: one more of what the line holds, or a pack of them. */
export function incrementQuantity(line: LineRow, pricing: Pricing | null, pack?: PackUnit): LineRow {
  const name = quantityField(pricing);
  const quantity = decimalOrZero(line.values[name])
    .plus(pack?.factor ?? 1)
    .toString();
  const counted = pack && isEmptyRef(line.values[PACK_FIELDS.unit]) ? buildPackValues(pack) : {};
  return applyChanges(line, { ...counted, [name]: quantity }, pricing, name);
}

function isPricingField(pricing: Pricing | null, name: string): boolean {
  return pricing !== null && Object.values(pricing).includes(name);
}

function applyChanges(line: LineRow, changes: Row, pricing: Pricing | null, edited: string): LineRow {
  return reprice(line, changes, pricing, edited).line;
}

/** Marks cells whose pasted content can't be taken. */
export function markRefusedCells(line: LineRow, refused: FieldProblems): LineRow {
  return { ...line, problems: { ...line.problems, ...refused }, refused: { ...line.refused, ...refused } };
}

const GIFT_MESSAGE = '不能为空；赠品请勾选“赠品”';

/** Mark the figures that rows of a sheet lack and the goods don't provide, unless they are given away. */
export function markMissingFigures(fields: Field[], line: LineRow): LineRow {
  const isMissing = (field: Field) => {
    const [flag, value] = [field.asked_unless, line.values[field.name]];
    if (!flag || field.masked || !isWritable(field) || field.name in line.refused) return false;
    return !line.values[flag] && !isMasked(value) && decimalOrZero(value).isZero();
  };
  return markRefusedCells(line, Object.fromEntries(fields.filter(isMissing).map(({ name }) => [name, GIFT_MESSAGE])));
}

/** Empties and marks the numbers that could not be taken: what goods or a new line bring doesn't stand for them. */
export function clearRefusedNumbers(
  fields: Field[],
  line: LineRow,
  refused: FieldProblems,
  pricing: Pricing | null,
): LineRow {
  const numbers = fields.filter((field) => field.name in refused && isNumberType(field.type) && isWritable(field));
  return markRefusedCells(
    numbers.reduce((left, field) => clearCell(left, field, pricing), line),
    refused,
  );
}

function omitProblem(problems: FieldProblems, name: string): FieldProblems {
  if (!(name in problems)) return problems;
  return Object.fromEntries(Object.entries(problems).filter(([key]) => key !== name));
}

/** A price that was typed over comes from nowhere else. */
const NO_PRICE_SOURCE = { price_source: null };

/** Mark which was keyed in last, the discount or the discount by piece: it stays when the quantity changes. */
function markKeyedDiscount(pricing: Pricing | null, edited: string): Row {
  if (edited === DISCOUNT_PRICE) return { [DISCOUNT_BY_PIECE]: true };
  return edited === pricing?.discount ? { [DISCOUNT_BY_PIECE]: false } : {};
}

/** Applies changes and lets the pricing rules follow; a figure of one hundred million refuses the change. */
function reprice(line: LineRow, changes: Row, pricing: Pricing | null, edited: string): CellEntry {
  const quantity = quantityField(pricing);
  const counted = recomputePacks({ ...line.values, ...changes }, edited, quantity);
  const values = { ...line.values, ...changes, ...counted, ...markKeyedDiscount(pricing, edited) };
  const told = [edited, ...Object.keys(counted)];
  const next = {
    ...line,
    values,
    problems: told.reduce(omitProblem, line.problems),
    refused: told.reduce(omitProblem, line.refused),
  };
  if (values.is_gift && pricing) Object.assign(values, buildZeroPrices(pricing));
  const edit = pricing && pricingEdit(pricing, quantity in counted ? quantity : edited, values);
  if (!pricing || !edit) return { line: next, problem: null };
  if (isMasked(values[pricing.price]))
    return { line: { ...next, values: { ...values, ...updateAfterTyping(values, edited, pricing) } }, problem: null };
  try {
    const figures = computePrices(pricing, values, edit);
    const typed =
      !('price_source' in changes) &&
      !decimalOrZero({ ...values, ...figures }[pricing.price]).eq(decimalOrZero(line.values[pricing.price]));
    const recomputed = { ...values, ...figures, ...(typed && NO_PRICE_SOURCE) };
    const shared = edited === DISCOUNT_PRICE ? pricing.discount! : edited;
    return {
      line: { ...next, values: { ...recomputed, ...updateAfterTyping(recomputed, shared, pricing) } },
      problem: describeDroppedDiscount(pricing, values, figures, edit),
    };
  } catch (error) {
    if (error instanceof ValueLimitError) return { line, problem: error.message };
    throw error;
  }
}

/** A discount larger than its line falls to nought (spec/3-rules.md 9), which is told; that of a source follows the quantity. */
function describeDroppedDiscount(pricing: Pricing, values: Row, figures: Row, edit: PricingEdit): string | null {
  const { discount } = pricing;
  const isShared = readDrawnSource(values)?.follows && edit === 'quantity';
  if (discount === null || isShared || !computeRequestedDiscount(pricing, discount, values, edit).gt(0)) return null;
  return discount in figures && decimalOrZero(figures[discount]).isZero() ? '优惠金额大于金额，已改为 0' : null;
}

function computeRequestedDiscount(pricing: Pricing, discount: string, values: Row, edit: PricingEdit): Decimal {
  if (edit !== 'discount_price') return decimalOrZero(values[discount]);
  return decimalOrZero(values[DISCOUNT_PRICE]).times(decimalOrZero(values[pricing.quantity]));
}

function buildZeroPrices(pricing: Pricing): Row {
  return { [pricing.price]: '0', ...(pricing.discount ? { [pricing.discount]: '0' } : {}) };
}

function pricingEdit(pricing: Pricing, edited: string, values: Row): PricingEdit | null {
  if (edited === 'is_gift') return 'price';
  if (
    pricing.discount !== null &&
    (edited === DISCOUNT_PRICE || (edited === pricing.quantity && values[DISCOUNT_BY_PIECE]))
  )
    return 'discount_price';
  const roles: PricingEdit[] = ['quantity', 'price', 'discount', 'tax_rate', 'amount'];
  const role = roles.find((name) => pricing[name as keyof Pricing] === edited);
  if (role !== undefined) return role;
  // Typing the total of a line moves its price and leaves its discount.
  if (edited !== pricing.total || values.is_gift) return null;
  return 'amount';
}

function computePrices(pricing: Pricing, values: Row, edit: PricingEdit): Row {
  const text = (name: string | null) => (name === null ? undefined : String(values[name] ?? ''));
  const discount = text(pricing.discount);
  const byPiece = edit === 'discount_price' ? String(values[DISCOUNT_PRICE] ?? '') : undefined;
  const typedTotal =
    edit === 'amount' && pricing.total !== null && !(pricing.amount !== null && pricing.amount in values);
  const amount = typedTotal
    ? decimalOrZero(values[pricing.total!]).plus(decimalOrZero(discount)).toString()
    : text(pricing.amount);
  const result = priceLine({
    edit,
    quantity: text(pricing.quantity),
    price: text(pricing.price),
    discount,
    discount_price: byPiece,
    tax_rate: text(pricing.tax_rate),
    amount,
  });
  const changes: Row = {};
  const set = (name: string | null, value: string) => {
    if (name !== null && !isMasked(values[name])) changes[name] = value;
  };
  if (edit === 'amount') set(pricing.price, result.price);
  if (result.discount !== '0.00' || byPiece !== undefined || decimalOrZero(discount).gt(0))
    set(pricing.discount, result.discount);
  if (pricing.amount !== null && pricing.amount in values) set(pricing.amount, result.amount);
  set(pricing.total, result.total);
  set(pricing.tax, result.tax);
  set(pricing.no_tax, result.no_tax);
  return changes;
}

/** Mark what is wrong with a line before it is sent; a cell's known problem takes precedence over "missing". */
export function validateLine(fields: Field[], line: LineRow): LineRow {
  const found = rowProblems(fields, line.values, 'cell');
  for (const field of fields)
    if (needsBatch(field, line.values) && isEmptyValue(field, line.values[field.name]))
      found[field.name] = `请录入${field.label}`;
  for (const name of Object.keys(found)) found[name] = line.problems[name] ?? found[name]!;
  for (const field of fields) {
    const [refused, value] = [line.refused[field.name], line.values[field.name]];
    if (refused !== undefined && (value === false || isEmptyValue(field, value))) found[field.name] ??= refused;
  }
  return { ...line, problems: found };
}

/** Build a line's request body: written fields, except those that its source decides. */
export function buildLinePayload(fields: Field[], line: LineRow): Row {
  const payload: Row = {};
  for (const field of fields) {
    if (!isWritable(field)) continue;
    if (isSourceDecided(line.values, field.name)) {
      payload[field.name] = null;
      continue;
    }
    const value = line.values[field.name];
    payload[field.name] = value === undefined || value === '' ? null : value;
  }
  return payload;
}
