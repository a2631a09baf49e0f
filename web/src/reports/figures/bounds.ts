/** 上下限: conversion between typed percentages and the server's shares of one. */
import { Decimal, parseDecimal } from '@/lib/decimal';

const HUNDRED = new Decimal(100);

/** Parse a typed bound for the server; null if empty, undefined if it is no number. */
export function parseBound(typed: string, share: boolean): string | null | undefined {
  if (typed.trim() === '') return null;
  const value = parseDecimal(typed);
  return value === null ? undefined : (share ? value.div(HUNDRED) : value).toString();
}

/** Format the server's bound for editing. */
export function formatBound(sent: string | number | null | undefined, share: boolean): string {
  const value = parseDecimal(sent);
  return value === null ? '' : (share ? value.times(HUNDRED) : value).toString();
}
