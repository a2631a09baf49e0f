import { isEmptyRef } from '../fields/fieldValue';
import { labelKey } from '../list/listState';
import type { Row, Screen } from '../types';

/** Routes of the receipt and payment forms, by the partner field of the priced bill. */
const MONEY_FORMS = [
  { by: 'customer_id', route: '/custom/receiptmanage_add', label: '收款' },
  { by: 'supplier_id', route: '/purchase/paymangeAdd', label: '付款' },
];
const PREFILLED_FIELDS = ['company_id'];

export interface MoneyForm {
  label: string;
  address: string;
}

/** The form that the bill's money is taken down in, filled in with whose it is; null where a bill moves none. */
export function findMoneyForm(screen: Screen, row: Row): MoneyForm | null {
  const form =
    screen.family === 'bill' && screen.pricing ? MONEY_FORMS.find(({ by }) => !isEmptyRef(row[by])) : undefined;
  if (!form) return null;
  const labels = new Map(screen.fields.map((field) => [field.name, field.label_field]));
  const given = [...PREFILLED_FIELDS, form.by].flatMap((name): [string, string][] => [
    [name, String(row[name] ?? '')],
    [labelKey(name), String(row[labels.get(name) ?? ''] ?? '')],
  ]);
  return {
    label: form.label,
    address: `${form.route}?${new URLSearchParams(given.filter(([, value]) => value !== ''))}`,
  };
}
