import { Decimal as Base } from 'decimal.js';

/** Exact decimal arithmetic; rounding half-up (away from zero), as the server's. */
export const Decimal = Base.clone({ precision: 40, rounding: Base.ROUND_HALF_UP, toExpNeg: -30, toExpPos: 40 });
export type Decimal = InstanceType<typeof Decimal>;

export const ZERO = new Decimal(0);

/** Placeholder of a price or amount that the role may not see. */
export const MASK = '无权限';

export function isMasked(value: unknown): boolean {
  return value === MASK;
}

/** Reads a number from what a person types or pastes; commas may stand between thousands, anything else is null. */
export function parseDecimal(value: unknown): Decimal | null {
  if (typeof value === 'number') return Number.isFinite(value) ? new Decimal(value) : null;
  if (typeof value !== 'string') return null;
  const text = toHalfWidth(value).replace(/[\s¥￥]/g, '');
  const known = /^[+-]?((\d+|\d{1,3}(,\d{3})+)\.?\d*|\.\d+)$/.test(text);
  return known ? new Decimal(text.replaceAll(',', '')) : null;
}

/** A Chinese input method in full-width mode types ０－９ and 。 for digits and the point. */
export function toHalfWidth(text: string): string {
  return text
    .replace(/[\uff01-\uff5e]/g, (c) => String.fromCharCode(c.charCodeAt(0) - 0xfee0))
    .replace(/。/g, '.')
    .replace(/\u3000/g, ' ');
}

export function decimalOrZero(value: unknown): Decimal {
  return parseDecimal(value) ?? ZERO;
}

/** Return whether the text is empty or zero; a text that is no number is neither. */
export function isBlankOrZero(text: string): boolean {
  return text.trim() === '' || parseDecimal(text)?.isZero() === true;
}

/** Sum of what is numeric; the mask wins, since a partial sum would reveal or mislead. */
export function sumDecimals(values: Iterable<unknown>): Decimal | typeof MASK {
  let sum: Decimal = ZERO;
  for (const value of values) {
    if (isMasked(value)) return MASK;
    sum = sum.plus(decimalOrZero(value));
  }
  return sum;
}
