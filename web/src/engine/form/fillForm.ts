import { isWritable } from '../fields/fieldRules';
import { isEmptyValue } from '../fields/fieldValue';
import type { Field, Row } from '../types';
import { changeHeader, type FormModel } from './formModel';

/** One item read from a document or a company's data. */
export interface FoundItem {
  name: string;
  label: string;
  value: string;
  doubt: string;
  note: string;
}

/** Values found by a search or picture, by form field. */
export interface FillResult {
  values: Record<string, string>;
  doubts: Record<string, string>;
  notes: Record<string, string>;
  found: FoundItem[];
}

/** Fills what is empty and marks where it is from; what somebody filled in stays. Answers how many fields were filled, and the labels of those that differ. */
export function fillForm(
  form: FormModel,
  fields: Field[],
  filled: FillResult,
  from: string,
): { count: number; kept: string[] } {
  const { values } = form.header.get();
  const meant = fields.filter((field) => field.form && !field.hidden && isWritable(field) && filled.values[field.name]);
  const empty = meant.filter((field) => isEmptyValue(field, values[field.name]));
  const changes: Row = Object.fromEntries(empty.map(({ name }) => [name, filled.values[name]]));
  changeHeader(form, fields, changes);
  const hints: Record<string, string> = {};
  const doubts: Record<string, string> = {};
  for (const { name } of empty) {
    const doubt = filled.doubts[name];
    if (doubt) doubts[name] = `${from}：${doubt}`;
    else hints[name] = filled.notes[name] ? `${from}，${filled.notes[name]}` : from;
  }
  form.header.set((before) => ({
    ...before,
    hints: { ...before.hints, ...hints },
    doubts: { ...before.doubts, ...doubts },
  }));
  const kept = meant.filter(
    (field) => !empty.includes(field) && String(values[field.name]) !== filled.values[field.name],
  );
  return { count: empty.length, kept: kept.map(({ label }) => label) };
}

/** The pictures of papers; a logo or a voucher says nothing of who somebody is. */
export function isDocumentImage(field: Field): boolean {
  return field.type === 'image' && field.scene === 'contract';
}
