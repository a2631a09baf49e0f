import { Decimal, ZERO, parseDecimal } from './decimal';

/** Pricing of one bill line (spec/3-rules.md 9); its cases are tests/golden/pricing.json, shared with the server. */

export const QUANTITY_DECIMALS = 3;
export const PRICE_DECIMALS = 6;
export const MONEY_DECIMALS = 2;
export const CAP = new Decimal(100_000_000);
export const CAP_MESSAGE = '数值不能超过一亿';

export type PricingEdit = 'quantity' | 'price' | 'amount' | 'discount' | 'discount_price' | 'total' | 'tax_rate';

export interface PricingInput {
  quantity?: string;
  price?: string;
  amount?: string;
  discount?: string;
  discount_price?: string;
  total?: string;
  tax_rate?: string;
  factor?: string;
  allow_negative?: boolean;
  edit: PricingEdit;
}

export interface PricedLine {
  quantity: string;
  price: string;
  amount: string;
  discount: string;
  discount_price: string;
  total: string;
  tax: string;
  no_tax: string;
}

export class CapError extends Error {
  constructor() {
    super(CAP_MESSAGE);
  }
}

function rounded(value: string | undefined, decimals: number): Decimal {
  return (parseDecimal(value) ?? ZERO).toDecimalPlaces(decimals);
}

/** The whole line after the user changed `edit`. Throws CapError when a figure reaches one hundred million. */
export function priceLine(input: PricingInput): PricedLine {
  const quantity = rounded(input.quantity, QUANTITY_DECIMALS);
  const price = priceAfter(input, quantity);
  const amount = quantity.times(price).toDecimalPlaces(MONEY_DECIMALS);
  const discount = discountAfter(input, quantity, amount);
  const factor = parseDecimal(input.factor) ?? new Decimal(1);
  const total = amount.minus(discount).times(factor).toDecimalPlaces(MONEY_DECIMALS);
  const tax = taxWithin(total, input.tax_rate);
  for (const value of [quantity, price, amount, total]) {
    if (value.abs().gte(CAP)) throw new CapError();
  }
  const discountPrice = quantity.isZero() ? ZERO : discount.div(quantity).toDecimalPlaces(PRICE_DECIMALS);
  return {
    quantity: plain(quantity),
    price: plain(price),
    amount: money(amount),
    discount: money(discount),
    discount_price: plain(discountPrice),
    total: money(total),
    tax: money(tax),
    no_tax: money(total.minus(tax)),
  };
}

function priceAfter(input: PricingInput, quantity: Decimal): Decimal {
  if (input.edit === 'amount' && !quantity.isZero()) {
    return rounded(input.amount, MONEY_DECIMALS).div(quantity).toDecimalPlaces(PRICE_DECIMALS);
  }
  return rounded(input.price, PRICE_DECIMALS);
}

function discountAfter(input: PricingInput, quantity: Decimal, amount: Decimal): Decimal {
  let discount = rounded(input.discount, MONEY_DECIMALS);
  if (input.edit === 'discount_price') {
    discount = rounded(input.discount_price, PRICE_DECIMALS).times(quantity).toDecimalPlaces(MONEY_DECIMALS);
  } else if (input.edit === 'total') {
    discount = amount.minus(rounded(input.total, MONEY_DECIMALS));
  }
  return amount.lt(discount) && !input.allow_negative ? ZERO : discount;
}

/** Tax contained in a tax-inclusive total; multiplied first and divided once, so that no tie is lost. */
export function taxWithin(total: Decimal, rate: string | undefined): Decimal {
  const percent = parseDecimal(rate) ?? ZERO;
  return total.times(percent).div(percent.plus(100)).toDecimalPlaces(MONEY_DECIMALS);
}

function money(value: Decimal): string {
  return (value.isZero() ? ZERO : value).toFixed(MONEY_DECIMALS);
}

function plain(value: Decimal): string {
  return (value.isZero() ? ZERO : value).toString();
}
