/** 上下限: as people type them, and as the server has them: shares of one, where people think of a hundred. */
import { Decimal, parseDecimal } from '@/lib/decimal';

const HUNDRED = new Decimal(100);

/** What was typed, for the server; null is no bound, undefined is no number. */
export function sentBound(typed: string, share: boolean): string | null | undefined {
  if (typed.trim() === '') return null;
  const value = parseDecimal(typed);
  return value === null ? undefined : (share ? value.div(HUNDRED) : value).toString();
}

/** What the server has, for the one who types. */
export function typedBound(sent: string | number | null | undefined, share: boolean): string {
  const value = parseDecimal(sent);
  return value === null ? '' : (share ? value.times(HUNDRED) : value).toString();
}
