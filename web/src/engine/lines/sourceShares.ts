import { Decimal, decimalOrZero, isMasked, parseDecimal, ZERO } from '../../lib/decimal';
import { formatMoney } from '../../lib/format';
import { MONEY_DECIMALS } from '../../lib/pricing';
import { capPart, addPart, proratePart, type MoneyPart, type SourceMoney } from '../../lib/proration';
import type { Field, Pricing, Row } from '../types';
import type { LineRow } from './lineModel';
import { quantityField } from './packs';

/** Lines that take over the money of another bill's line (来源分摊): what falls to them follows their quantities. */

/** The source of a line as the server tells it; who may not see all its money is told none of its figures. */
export interface DrawnSource {
  /** The hidden field that names the source line. */
  column: string;
  /** True if the line may not exceed its share. */
  capped: boolean;
  /** True if price and discount are the source's. */
  follows: boolean;
  /** True if these are the figures that the line was offered with, as its source's are hidden. */
  offered?: boolean;
  quantity?: string;
  price: string;
  tax_rate: string;
  is_gift: boolean;
  amount: string;
  discount_amount: string;
  tax_amount: string;
  taken_quantity: string;
  taken_amount: string;
  taken_discount: string;
  taken_tax: string;
  /** Amount that the drawing lines came to themselves, at whatever price. */
  own_amount: string;
  own_tax: string;
}

type AmountAndTax = Pick<SourceMoney, 'amount' | 'tax'>;

const ZERO_MONEY: SourceMoney = { quantity: ZERO, amount: ZERO, discount: ZERO, tax: ZERO };

export function readDrawnSource(values: Row): DrawnSource | null {
  return (values.drawn as DrawnSource | null | undefined) ?? null;
}

/** Return a line's share of its source, as last computed. */
export function readSourcePart(values: Row): SourcePart | null {
  return (values.source_part as SourcePart | undefined) ?? null;
}

interface SourcePart {
  amount: string;
  discount: string;
  /** The most that the line may come to, of what is due up to it. */
  most: string;
}

/** Shares each source anew over the lines that name it, in their order; the same lines where nothing moves. */
export function prorateSources(lines: LineRow[], pricing: Pricing | null): LineRow[] {
  if (!pricing || !lines.some(({ values }) => readDrawnSource(values))) return lines;
  const taken = new Map<string, SourceMoney>();
  const owned = new Map<string, AmountAndTax>();
  const next = lines.map((line) => {
    const drawn = resolveSource(line.values, pricing);
    if (!drawn) return line;
    const quantity = decimalOrZero(line.values[quantityField(pricing)]);
    if (drawn.offered) return applyPart(line, drawn, scalePart(parseSourceMoney(drawn), quantity), ZERO, pricing);
    const key = `${drawn.column}:${String(line.values[drawn.column])}`;
    const before = taken.get(key) ?? parseTakenMoney(drawn);
    const part = proratePart(parseSourceMoney(drawn), before, quantity);
    taken.set(key, addPart(before, quantity, part));
    const own = owned.get(key) ?? { amount: decimalOrZero(drawn.own_amount), tax: decimalOrZero(drawn.own_tax) };
    const due = proratePart(parseSourceMoney(drawn), ZERO_MONEY, before.quantity.plus(quantity)).amount;
    const most = Decimal.max(due.minus(own.amount), ZERO);
    const shared = applyPart(
      line,
      drawn,
      drawn.capped ? capPart(parseSourceMoney(drawn), own, part, most) : part,
      most,
      pricing,
    );
    const came = (name: string | null) => decimalOrZero(shared.values[name ?? '']);
    owned.set(key, { amount: own.amount.plus(came(pricing.total)), tax: own.tax.plus(came(pricing.tax)) });
    return shared;
  });
  return next.some((line, index) => line !== lines[index]) ? next : lines;
}

/**
 * Return the source that a line is prorated by: the real one, or the offered figures if it is hidden. Hidden figures
 * stay hidden and the server, which is sent none of them, decides the cents.
 */
function resolveSource(values: Row, pricing: Pricing): DrawnSource | null {
  const drawn = readDrawnSource(values);
  if (!drawn || drawn.quantity !== undefined) return drawn;
  const quantity = parseDecimal(values[quantityField(pricing)]);
  if (!drawn.follows || !quantity?.gt(0)) return null;
  const shown = (name: string | null) => String((name !== null && values[name]) || '0');
  const nothing = {
    taken_quantity: '0',
    taken_amount: '0',
    taken_discount: '0',
    taken_tax: '0',
    own_amount: '0',
    own_tax: '0',
  };
  return {
    column: drawn.column,
    capped: false,
    follows: true,
    offered: true,
    quantity: quantity.toString(),
    price: shown(pricing.price),
    tax_rate: shown(pricing.tax_rate),
    is_gift: values.is_gift === true,
    amount: shown(pricing.total),
    discount_amount: shown(pricing.discount),
    tax_amount: shown(pricing.tax),
    ...nothing,
  };
}

function parseSourceMoney(drawn: DrawnSource): SourceMoney {
  return {
    quantity: decimalOrZero(drawn.quantity),
    amount: decimalOrZero(drawn.amount),
    discount: decimalOrZero(drawn.discount_amount),
    tax: decimalOrZero(drawn.tax_amount),
  };
}

function scalePart(offered: SourceMoney, quantity: Decimal): MoneyPart {
  const scaled = (whole: Decimal) => whole.times(quantity).div(offered.quantity).toDecimalPlaces(MONEY_DECIMALS);
  return { amount: scaled(offered.amount), discount: scaled(offered.discount), tax: scaled(offered.tax) };
}

function parseTakenMoney(drawn: DrawnSource): SourceMoney {
  return {
    quantity: new Decimal(drawn.taken_quantity),
    amount: new Decimal(drawn.taken_amount),
    discount: new Decimal(drawn.taken_discount),
    tax: new Decimal(drawn.taken_tax),
  };
}

function applyPart(line: LineRow, drawn: DrawnSource, part: MoneyPart, most: Decimal, pricing: Pricing): LineRow {
  const text = (value: Decimal) => value.toFixed(MONEY_DECIMALS);
  const known = readSourcePart(line.values);
  const due: SourcePart = { amount: text(part.amount), discount: text(part.discount), most: text(most) };
  const changes: Row =
    known && known.amount === due.amount && known.discount === due.discount && known.most === due.most
      ? {}
      : { source_part: due };
  if (drawn !== readDrawnSource(line.values)) changes.drawn = drawn;
  if (drawn.follows) {
    const set = (name: string | null, value: string | boolean) => {
      if (name !== null && !isMasked(line.values[name]) && !isSameValue(line.values[name], value))
        changes[name] = value;
    };
    set(pricing.price, drawn.price);
    set(pricing.discount, due.discount);
    set(pricing.tax_rate, drawn.tax_rate);
    set('is_gift', drawn.is_gift);
    set(pricing.total, due.amount);
    set(pricing.tax, text(part.tax));
    set(pricing.no_tax, [drawn.amount, drawn.tax_amount].some(isMasked) ? '' : text(part.amount.minus(part.tax)));
  }
  return Object.keys(changes).length === 0 ? line : { ...line, values: { ...line.values, ...changes } };
}

function isSameValue(value: unknown, due: string | boolean): boolean {
  if (typeof due === 'boolean') return (value === true) === due;
  if (value === undefined || value === null || value === '') return due === '';
  return due !== '' && decimalOrZero(value).eq(due);
}

/** A line after one of its figures was typed over: it follows its source as long as price and discount are the source's. */
export function updateAfterTyping(values: Row, edited: string, pricing: Pricing): Row {
  const drawn = readDrawnSource(values);
  const decides = [pricing.price, pricing.discount, pricing.tax_rate, pricing.total, pricing.amount, 'is_gift'];
  if (!drawn || !decides.includes(edited)) return {};
  if (drawn.quantity === undefined) return drawn.follows ? { drawn: { ...drawn, follows: false } } : {};
  const same = (name: string | null, due: string) =>
    name === null || isMasked(values[name]) || decimalOrZero(values[name]).eq(decimalOrZero(due));
  const discount = decimalOrZero(pricing.discount === null ? 0 : values[pricing.discount]);
  const follows =
    same(pricing.price, drawn.price) &&
    same(pricing.tax_rate, drawn.tax_rate) &&
    (values.is_gift === true) === drawn.is_gift &&
    discount.eq(readSourcePart(values)?.discount ?? 0);
  return follows === drawn.follows ? {} : { drawn: { ...drawn, follows } };
}

const SOURCE_DECIDED_FIELDS = ['price', 'discount_amount', 'tax_rate', 'is_gift'];

/** Return whether the server takes a field's value from the line's source and is sent none. */
export function isSourceDecided(values: Row, name: string): boolean {
  return readDrawnSource(values)?.follows === true && SOURCE_DECIDED_FIELDS.includes(name);
}

export interface SourceMark {
  className: string;
  hint: string;
}

/** Return a cell's style and hint if its figure comes from the source, or exceeds the line's share of it. */
export function buildSourceMark(values: Row, field: Field, pricing: Pricing | null): SourceMark | null {
  const drawn = pricing && readDrawnSource(values);
  if (!drawn) return null;
  const decided = [
    pricing.price,
    pricing.discount,
    pricing.tax_rate,
    pricing.total,
    pricing.tax,
    pricing.no_tax,
    'is_gift',
  ];
  if (!decided.includes(field.name)) return null;
  if (drawn.follows) return { className: 'from-source', hint: '由来源单据决定，随数量分摊；改动后按本行计价' };
  const most = readSourcePart(values)?.most;
  const beyond = drawn.capped && most !== undefined && decimalOrZero(values[pricing.total ?? '']).gt(most);
  return beyond && field.name === pricing.total
    ? { className: 'beyond-source', hint: `超过来源单据可退的 ${formatMoney(most)} 元，审核须有权限放行` }
    : null;
}
