import { Decimal, decimalOrZero, ZERO } from '../../lib/decimal';

/** Open amount of an item, to be spread over. */
export interface OpenAmount<K> {
  key: K;
  open: string;
}

/**
 * Spreads an amount over open items in their order, oldest first. Returns and advances (negative) are offset whole,
 * since they add to what can be settled; without an amount every item is settled in full.
 */
export function allocate<K>(items: OpenAmount<K>[], amount: string, decimals = 2): Map<K, string> {
  const given = decimalOrZero(amount);
  const parts = new Map<K, string>();
  if (given.isZero()) {
    for (const item of items) parts.set(item.key, decimalOrZero(item.open).toFixed(decimals));
    return parts;
  }
  let left: Decimal = given;
  for (const item of items) {
    const open = decimalOrZero(item.open);
    if (open.gt(0)) continue;
    parts.set(item.key, open.toFixed(decimals));
    left = left.minus(open);
  }
  for (const item of items) {
    const open = decimalOrZero(item.open);
    const part = Decimal.min(open, Decimal.max(left, ZERO));
    if (open.lte(0) || part.isZero()) continue;
    parts.set(item.key, part.toFixed(decimals));
    left = left.minus(part);
  }
  return parts;
}

/** The open amounts of each side: what is owed, and the advances that pay it (positive). */
export function sumSides(amounts: Iterable<string>): { owed: Decimal; advanced: Decimal } {
  let [owed, advanced] = [ZERO, ZERO];
  for (const amount of amounts) {
    const open = decimalOrZero(amount);
    if (open.gt(0)) owed = owed.plus(open);
    else advanced = advanced.minus(open);
  }
  return { owed, advanced };
}

/** Settles debts with advances, both oldest first, as far as the smaller side reaches. */
export function offset<K>(items: OpenAmount<K>[]): Map<K, string> {
  const { owed, advanced } = sumSides(items.map((item) => item.open));
  const both = Decimal.min(owed, advanced);
  const left = { debts: both, advances: both };
  const parts = new Map<K, string>();
  for (const item of items) {
    const open = decimalOrZero(item.open);
    const side = open.gt(0) ? 'debts' : 'advances';
    const part = Decimal.min(open.abs(), left[side]);
    if (part.isZero()) continue;
    parts.set(item.key, (open.gt(0) ? part : part.negated()).toFixed(2));
    left[side] = left[side].minus(part);
  }
  return parts;
}
