import { isMasked, parseDecimal } from '../../lib/decimal';
import { isNumberType, numberProblem, textProblem, type Place } from '../../lib/validation';
import type { Field, Row } from '../types';
import { isEmptyValue } from './fieldValue';

/** Name of field → what is wrong with it. */
export type Problems = Record<string, string>;

const CHOSEN = new Set(['ref', 'enum', 'date', 'datetime', 'bool', 'image']);

export function requiredMessage(field: Field): string {
  return `${CHOSEN.has(field.type) ? '请选择' : '请输入'}${field.label}`;
}

export function isWritable(field: Field): boolean {
  return field.form && !field.readonly && !field.masked;
}

/** What is wrong with one value, or null; the same rules as the server's. */
export function fieldProblem(field: Field, value: unknown, place: Place): string | null {
  if (!isWritable(field) || isMasked(value)) return null;
  if (isEmptyValue(field, typeof value === 'string' ? value.trim() : value)) {
    return field.required ? requiredMessage(field) : null;
  }
  if (isNumberType(field.type)) {
    const number = parseDecimal(value);
    return number === null ? '请输入数字' : numberProblem(number, { ...field, type: field.type }, place);
  }
  if (field.type === 'text' || field.type === 'textarea') {
    return textProblem(String(value).trim(), field.rule, field.max_length);
  }
  return null;
}

export function rowProblems(fields: Field[], row: Row, place: Place): Problems {
  const problems: Problems = {};
  for (const field of fields) {
    const problem = fieldProblem(field, row[field.name], place);
    if (problem !== null) problems[field.name] = problem;
  }
  return problems;
}
