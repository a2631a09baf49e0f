import { decimalOrZero, isMasked, parseDecimal } from '../../lib/decimal';
import { MONEY_DECIMALS, PRICE_DECIMALS } from '../../lib/pricing';
import type { Pricing, Row } from '../types';
import type { LineRow } from './lineModel';

/** 优惠单价: a line's discount by piece, tied to its discount by the quantity (spec/3-rules.md 9). It is not sent. */
export const DISCOUNT_PRICE = 'discount_price';
/** Flag: the discount by piece was keyed in and stays when the quantity changes; otherwise the discount stays. */
export const DISCOUNT_BY_PIECE = 'discount_by_piece';

/** Compute the lines' discounts by piece from their discounts. */
export function addDiscountPrices(lines: LineRow[], pricing: Pricing | null): LineRow[] {
  if (!pricing?.discount) return lines;
  const next = lines.map((line) => {
    const due = computeDiscountPrice(line.values, pricing);
    return due === (line.values[DISCOUNT_PRICE] ?? '')
      ? line
      : { ...line, values: { ...line.values, [DISCOUNT_PRICE]: due } };
  });
  return next.some((line, index) => line !== lines[index]) ? next : lines;
}

function computeDiscountPrice(values: Row, { quantity: counted, discount: name }: Pricing): string {
  const [quantity, discount] = [decimalOrZero(values[counted]), decimalOrZero(values[name!])];
  if (isMasked(values[name!])) return '';
  const known = parseDecimal(values[DISCOUNT_PRICE]);
  if (known?.times(quantity).toDecimalPlaces(MONEY_DECIMALS).eq(discount)) return String(values[DISCOUNT_PRICE]);
  return quantity.isZero() || discount.isZero()
    ? ''
    : discount.div(quantity).toDecimalPlaces(PRICE_DECIMALS).toString();
}
