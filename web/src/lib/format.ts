import dayjs from 'dayjs';
import { Decimal, MASK, isMasked, parseDecimal } from './decimal';

/** Thousands separators and fixed decimals; 无权限 is shown as is, nothing is shown as nothing. */
export function formatNumber(value: unknown, decimals: number): string {
  if (isMasked(value)) return MASK;
  const number = parseDecimal(value);
  return number === null ? '' : groupThousands(number.toFixed(decimals));
}

export function formatMoney(value: unknown): string {
  return formatNumber(value, 2);
}

const TEN_THOUSAND = new Decimal(10_000);
const HUNDRED_MILLION = TEN_THOUSAND.times(TEN_THOUSAND);

/** Large figures as they are said: 1.23亿, 45.6万; below that in whole numbers. 无权限 is shown as is. */
export function formatBrief(value: unknown): string {
  const number = parseDecimal(value);
  if (isMasked(value) || number === null) return formatNumber(value, 0);
  if (number.abs().gte(HUNDRED_MILLION)) return `${groupThousands(number.div(HUNDRED_MILLION).toFixed(2))}亿`;
  if (number.abs().gte(TEN_THOUSAND)) return `${groupThousands(number.div(TEN_THOUSAND).toFixed(1))}万`;
  return groupThousands(number.toFixed(0));
}

/** A percentage of the server's; nothing where there is no base. */
export function formatPercent(value: unknown): string {
  const text = formatNumber(value, 1);
  return text === '' || isMasked(value) ? text : `${text}%`;
}

/** Two decimals at least and as many as are significant (1 to 20). */
export function formatPrice(value: unknown): string {
  const number = parseDecimal(value);
  if (isMasked(value) || number === null) return formatNumber(value, 2);
  return groupThousands(number.toFixed(Math.min(20, Math.max(2, number.decimalPlaces()))));
}

/** Quantities and rates: only significant decimals. */
export function formatQuantity(value: unknown): string {
  const number = parseDecimal(value);
  if (isMasked(value) || number === null) return formatNumber(value, 0);
  return groupThousands(number.toFixed());
}

function groupThousands(text: string): string {
  const [whole = '', fraction] = text.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

export const DATE_FORMAT = 'YYYY-MM-DD';
export const MONTH_FORMAT = 'YYYY-MM';
export const DATETIME_FORMAT = 'YYYY-MM-DD HH:mm:ss';

/** Dates as people type or paste them: 2026-7-5, 2026/07/05, 20260705, 2026.7.5. */
export function parseDate(text: string): string | null {
  const match = /^(\d{4})[-/.年]?(\d{1,2})[-/.月]?(\d{1,2})日?$/.exec(text.trim());
  if (!match) return null;
  const [, year = '', month = '', day = ''] = match;
  const value = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const parsed = dayjs(value);
  return parsed.isValid() && parsed.format(DATE_FORMAT) === value ? value : null;
}
