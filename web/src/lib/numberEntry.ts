import { parseDecimal, toHalfWidth, ZERO, type Decimal } from './decimal';
import { DECIMALS, numberProblem, type NumberKind, type InputPlace } from './validation';

/**
 * The numeric input helper of spec/3-rules.md 5.2: what inputs make of what was typed into them; the server refuses what
 * it is sent all the same. Cases stand in tests/golden/rules.json.
 *
 * 5.1 and 5.2 read the type names in two ways. A table's cell follows 5.1 (`PositiveInt` refuses what is not above 0), a
 * form's field 5.2 (PositiveInteger takes the absolute value first). Resetting quantities and rounding hold in both. A
 * quantity without a rule may be negative, as corrections are, and keeps its sign.
 */
export interface NumberEntry {
  value: string;
  problem: string | null;
}

const NOT_A_NUMBER = '请输入数字';

export function parseNumberEntry(text: string, kind: NumberKind, place: InputPlace): NumberEntry {
  if (text.trim() === '') return { value: '', problem: null };
  const typed = parseDecimal(text);
  if (typed === null) return { value: resetValue(kind, place), problem: NOT_A_NUMBER };
  const value = normalizeNumber(typed, kind, place);
  const problem = numberProblem(value, kind, place);
  if (problem === null) return { value: formatEntry(value, kind, place), problem };
  const least = kind.bounds?.least ?? null;
  if (least !== null && value.lt(least)) return { value: String(least), problem };
  return { value: value.lt(0) ? resetValue(kind, place) : '', problem };
}

/** Rounded to the decimals of its kind; an Integer to none, a PositiveInteger of a form is made positive instead. */
function normalizeNumber(typed: Decimal, kind: NumberKind, place: InputPlace): Decimal {
  if (kind.type === 'integer' && kind.rule !== null)
    return place === 'form' && kind.rule === 'PositiveInt' ? typed.abs() : typed;
  return typed.toDecimalPlaces(DECIMALS[kind.type]);
}

/** Non-numeric or negative quantities reset to 0, where 0 itself is allowed; everything else clears. */
function resetValue(kind: NumberKind, place: InputPlace): string {
  return kind.type === 'quantity' && numberProblem(ZERO, kind, place) === null ? '0' : '';
}

/** Format a value: money of a form with two decimals. */
function formatEntry(value: Decimal, kind: NumberKind, place: InputPlace): string {
  return kind.type === 'money' && place === 'form' ? value.toFixed(DECIMALS.money) : value.toString();
}

/** Key filters: digits alone; digits and one point; a leading minus as well; and that without a limit of decimals. */
export type KeyFilter = 'integer' | 'limit' | 'signed' | 'any';

/** Return the key filter of a form's field; a rule with a message of its own lets wrong keys through. */
export function keyFilterOf({ rule }: NumberKind): KeyFilter {
  if (rule === 'positiveInt') return 'integer';
  if (rule === 'notNegative') return 'limit';
  return rule === null ? 'any' : 'signed';
}

/**
 * Leaves of a text what a filter lets through; leading zeros go, and decimals beyond the limit. Commas go once they stand
 * between thousands; elsewhere they stay, for the number to be refused: 12,5 is not 125.
 */
export function filterKeys(text: string, filter: KeyFilter, decimals = 2): string {
  const kept = toHalfWidth(text).replace(/[^\d.,-]/g, '');
  const half = parseDecimal(kept) === null ? kept : kept.replaceAll(',', '');
  const sign = half.startsWith('-') && (filter === 'signed' || filter === 'any') ? '-' : '';
  const [whole = '', ...rest] = half.replace(/-/g, '').split('.');
  const head = whole.replace(/^0+(?=\d)/, '');
  if (rest.length === 0 || filter === 'integer' || decimals === 0) return sign + head;
  const tail = rest.join('');
  return `${sign}${head || '0'}.${filter === 'any' ? tail : tail.slice(0, decimals)}`;
}
