import { Decimal, decimalOrZero, ZERO } from '../../lib/decimal';

/** How much of an amount each open item takes. */
export interface OpenAmount {
  key: number;
  open: string;
}

/**
 * Spreads an amount over open items in their order, oldest first. Returns and advances (negative) are offset whole,
 * since they add to what can be settled; without an amount every item is settled in full.
 */
export function allocate(items: OpenAmount[], amount: string): Map<number, string> {
  const given = decimalOrZero(amount);
  const parts = new Map<number, string>();
  if (given.isZero()) {
    for (const item of items) parts.set(item.key, decimalOrZero(item.open).toFixed(2));
    return parts;
  }
  let left: Decimal = given;
  for (const item of items) {
    const open = decimalOrZero(item.open);
    if (open.gt(0)) continue;
    parts.set(item.key, open.toFixed(2));
    left = left.minus(open);
  }
  for (const item of items) {
    const open = decimalOrZero(item.open);
    const part = Decimal.min(open, Decimal.max(left, ZERO));
    if (open.lte(0) || part.isZero()) continue;
    parts.set(item.key, part.toFixed(2));
    left = left.minus(part);
  }
  return parts;
}
