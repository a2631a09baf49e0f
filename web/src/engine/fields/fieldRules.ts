import { isMasked, parseDecimal } from '../../lib/decimal';
import { isNumberType, numberProblem, textProblem, type InputPlace } from '../../lib/validation';
import type { Field, Row } from '../types';
import { isEmptyValue } from './fieldValue';

/** Name of field → what is wrong with it. */
export type FieldProblems = Record<string, string>;

const CHOICE_TYPES = new Set(['ref', 'enum', 'date', 'datetime', 'bool', 'image']);

export function requiredMessage(field: Field): string {
  return `${CHOICE_TYPES.has(field.type) ? '请选择' : '请输入'}${field.label}`;
}

export function isWritable(field: Field): boolean {
  return field.form && !field.readonly && !field.masked;
}

/** Describe what is wrong with one value, or null; the rules are the server's. */
export function describeFieldProblem(field: Field, value: unknown, place: InputPlace): string | null {
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

export function rowProblems(fields: Field[], row: Row, place: InputPlace): FieldProblems {
  const problems: FieldProblems = {};
  for (const field of fields) {
    const problem = describeFieldProblem(field, row[field.name], place);
    if (problem !== null) problems[field.name] = problem;
  }
  return problems;
}
