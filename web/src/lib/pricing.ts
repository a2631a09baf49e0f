import { Decimal, ZERO, parseDecimal } from './decimal';

/** Pricing of one bill line (spec/3-rules.md 9); its cases are tests/golden/pricing.json, shared with the server. */

export const QUANTITY_DECIMALS = 3;
export const PRICE_DECIMALS = 6;
export const MONEY_DECIMALS = 2;
export const VALUE_LIMIT = new Decimal(100_000_000);
export const VALUE_LIMIT_MESSAGE = '数值不能超过一亿';

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

export class ValueLimitError extends Error {
  constructor() {
    super(VALUE_LIMIT_MESSAGE);
  }
}

function parseRounded(value: string | undefined, decimals: number): Decimal {
  return (parseDecimal(value) ?? ZERO).toDecimalPlaces(decimals);
}

/**
 * Price the whole line after the user changed `edit`. Throws ValueLimitError when a figure reaches one hundred million.
 */
export function priceLine(input: PricingInput): PricedLine {
  const quantity = parseRounded(input.quantity, QUANTITY_DECIMALS);
  const price = derivePrice(input, quantity);
  const amount = quantity.times(price).toDecimalPlaces(MONEY_DECIMALS);
  const discount = deriveDiscount(input, quantity, amount);
  const factor = parseDecimal(input.factor) ?? new Decimal(1);
  const total = amount.minus(discount).times(factor).toDecimalPlaces(MONEY_DECIMALS);
  const tax = computeIncludedTax(total, input.tax_rate);
  for (const value of [quantity, price, amount, total]) {
    if (value.abs().gte(VALUE_LIMIT)) throw new ValueLimitError();
  }
  const discountPrice = quantity.isZero() ? ZERO : discount.div(quantity).toDecimalPlaces(PRICE_DECIMALS);
  return {
    quantity: toPlainText(quantity),
    price: toPlainText(price),
    amount: toMoneyText(amount),
    discount: toMoneyText(discount),
    discount_price: toPlainText(discountPrice),
    total: toMoneyText(total),
    tax: toMoneyText(tax),
    no_tax: toMoneyText(total.minus(tax)),
  };
}

function derivePrice(input: PricingInput, quantity: Decimal): Decimal {
  if (input.edit === 'amount' && !quantity.isZero()) {
    return parseRounded(input.amount, MONEY_DECIMALS).div(quantity).toDecimalPlaces(PRICE_DECIMALS);
  }
  return parseRounded(input.price, PRICE_DECIMALS);
}

function deriveDiscount(input: PricingInput, quantity: Decimal, amount: Decimal): Decimal {
  let discount = parseRounded(input.discount, MONEY_DECIMALS);
  if (input.edit === 'discount_price') {
    discount = parseRounded(input.discount_price, PRICE_DECIMALS).times(quantity).toDecimalPlaces(MONEY_DECIMALS);
  } else if (input.edit === 'total') {
    discount = amount.minus(parseRounded(input.total, MONEY_DECIMALS));
  }
  return amount.lt(discount) && !input.allow_negative ? ZERO : discount;
}

/** Tax contained in a tax-inclusive total; multiplied first and divided once, so that no tie is lost. */
export function computeIncludedTax(total: Decimal, rate: string | undefined): Decimal {
  const percent = parseDecimal(rate) ?? ZERO;
  return total.times(percent).div(percent.plus(100)).toDecimalPlaces(MONEY_DECIMALS);
}

function toMoneyText(value: Decimal): string {
  return (value.isZero() ? ZERO : value).toFixed(MONEY_DECIMALS);
}

function toPlainText(value: Decimal): string {
  return (value.isZero() ? ZERO : value).toString();
}
