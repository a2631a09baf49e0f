import { decimalOrZero, isMasked, parseDecimal } from '../../lib/decimal';
import { MONEY_DECIMALS, PRICE_DECIMALS } from '../../lib/pricing';
import type { Pricing, Row } from '../types';
import type { LineRow } from './lineModel';

/** 优惠单价: a line's discount by piece, tied to its discount by the quantity (spec/3-rules.md 9). It is not sent. */
export const DISCOUNT_PRICE = 'discount_price';
/** Whether it was keyed in, and stays when the quantity changes; else the discount does. */
export const BY_PIECE = 'discount_by_piece';

/** What lines have off by piece, as their discounts stand. */
export function withDiscountPrices(lines: LineRow[], pricing: Pricing | null): LineRow[] {
  if (!pricing?.discount) return lines;
  const next = lines.map((line) => {
    const due = discountPriceOf(line.values, pricing);
    return due === (line.values[DISCOUNT_PRICE] ?? '') ? line : { ...line, values: { ...line.values, [DISCOUNT_PRICE]: due } };
  });
  return next.some((line, index) => line !== lines[index]) ? next : lines;
}

function discountPriceOf(values: Row, { quantity: counted, discount: name }: Pricing): string {
  const [quantity, discount] = [decimalOrZero(values[counted]), decimalOrZero(values[name!])];
  if (isMasked(values[name!])) return '';
  const told = parseDecimal(values[DISCOUNT_PRICE]);
  if (told?.times(quantity).toDecimalPlaces(MONEY_DECIMALS).eq(discount)) return String(values[DISCOUNT_PRICE]);
  return quantity.isZero() || discount.isZero() ? '' : discount.div(quantity).toDecimalPlaces(PRICE_DECIMALS).toString();
}
