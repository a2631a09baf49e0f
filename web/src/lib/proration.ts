import { Decimal, ZERO } from './decimal';
import { MONEY_DECIMALS } from './pricing';

/** Parts of a line that other lines execute; its cases are tests/golden/proration.json, shared with the server. */

export interface SourceMoney {
  quantity: Decimal;
  amount: Decimal;
  discount: Decimal;
  tax: Decimal;
}

export interface MoneyPart {
  amount: Decimal;
  discount: Decimal;
  tax: Decimal;
}

/** Return the part of `whole` due at `upto` of `base`, less what was given; within what is left of it. */
function prorate(whole: Decimal, given: Decimal, upto: Decimal, base: Decimal): Decimal {
  const due = base.isZero() ? ZERO : whole.times(upto).div(base).toDecimalPlaces(MONEY_DECIMALS).minus(given);
  return Decimal.min(Decimal.max(due, ZERO), whole.minus(given));
}

/** The money of `quantity` more of a line, after what was taken; the tax goes by the amounts. */
export function proratePart(source: SourceMoney, taken: SourceMoney, quantity: Decimal): MoneyPart {
  const upto = taken.quantity.plus(quantity);
  const amount = prorate(source.amount, taken.amount, upto, source.quantity);
  const discount = prorate(source.discount, taken.discount, upto, source.quantity);
  return { amount, discount, tax: prorateTax(source, taken, amount) };
}

type AmountAndTax = Pick<SourceMoney, 'amount' | 'tax'>;

function prorateTax(source: SourceMoney, taken: AmountAndTax, amount: Decimal): Decimal {
  const [left, leftTax] = [source.amount.minus(taken.amount), source.tax.minus(taken.tax)];
  const due = prorate(source.tax, taken.tax, taken.amount.plus(amount), source.amount);
  return Decimal.min(Decimal.max(due, leftTax.minus(left.minus(amount))), amount, leftTax);
}

/** A part within the `most` that is left, once earlier ones came to their `own`; its discount takes the rest. */
export function capPart(source: SourceMoney, own: AmountAndTax, part: MoneyPart, most: Decimal): MoneyPart {
  if (part.amount.lte(most)) return part;
  const tax = Decimal.max(prorateTax(source, own, most), ZERO);
  return { amount: most, discount: part.discount.plus(part.amount).minus(most), tax };
}

export function addPart(taken: SourceMoney, quantity: Decimal, part: MoneyPart): SourceMoney {
  return {
    quantity: taken.quantity.plus(quantity),
    amount: taken.amount.plus(part.amount),
    discount: taken.discount.plus(part.discount),
    tax: taken.tax.plus(part.tax),
  };
}
