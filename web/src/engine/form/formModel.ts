import { getSession } from '../../lib/session';
import { createStore, type Store } from '../../lib/store';
import { today } from '../../lib/businessClock';
import type { Failure } from '../../lib/errors';
import { isWritable, requiredMessage, rowProblems, type FieldProblems } from '../fields/fieldRules';
import { labelKey } from '../list/listState';
import { isEmptyValue } from '../fields/fieldValue';
import {
  validateLine,
  isBlankLine,
  buildLinePayload,
  newLine,
  ORDER_LINE_FIELD,
  type LineRow,
} from '../lines/lineModel';
import { createLineStore, type LineStore } from '../lines/lineStore';
import type { Block, Field, Row, Screen } from '../types';

/** A form's state: header values, their problems and what is said of values that nobody typed, and the lines of each block. */
export interface HeaderState {
  values: Row;
  problems: FieldProblems;
  hints: Record<string, string>;
  /** Doubts about values that were filled in automatically. */
  doubts: Record<string, string>;
}

export interface FormModel {
  header: Store<HeaderState>;
  blocks: { block: Block; store: LineStore }[];
}

export function createForm(screen: Screen, stored: Row): FormModel {
  const values = dropComputed(screen, stored);
  return {
    header: createStore<HeaderState>({ values, problems: {}, hints: {}, doubts: {} }),
    blocks: screen.blocks.filter(isKeyedIn).map((block) => {
      const pricing = block.name === screen.line?.name ? screen.pricing : null;
      return { block, store: createLineStore(block.fields, buildLines(block, values), block.source === null, pricing) };
    }),
  };
}

/** Drop values that the server computed, since it computes them again on save. */
function dropComputed(screen: Screen, stored: Row): Row {
  const computed = screen.fields.filter(({ name, typed_in: flag }) => flag && !stored[flag] && stored[name]);
  return computed.length === 0
    ? stored
    : { ...stored, ...Object.fromEntries(computed.map(({ name }) => [name, null])) };
}

/** Rows that the server makes are not keyed in. */
function isKeyedIn(block: Block): boolean {
  return block.fields.some(isWritable);
}

function buildLines(block: Block, values: Row): LineRow[] {
  const rows = values[block.name];
  if (!Array.isArray(rows)) return [];
  return rows.map((row: Row) => ({ ...newLine(block.fields), values: { ...row } }));
}

/** A day that is today unless the user says another. */
export function defaultsToToday(field: Field): boolean {
  return field.type === 'date' && field.required && field.default === null && isWritable(field);
}

/** The company that a record belongs to; others that it names (who a partner is) are not the user's own. */
const OWNER_FIELD = 'company_id';

/** A new record: declared defaults, today for required dates, the user's own company as the one it belongs to. */
export function buildNewValues(screen: Screen): Row {
  const values: Row = {};
  const session = getSession();
  for (const field of screen.fields) {
    if (!isWritable(field)) continue;
    if (field.default !== null) values[field.name] = field.default;
    else if (defaultsToToday(field)) values[field.name] = today();
    else if (field.name === OWNER_FIELD && session) {
      values[field.name] = session.company_id;
      if (field.label_field) values[field.label_field] = session.company_name;
    }
  }
  return values;
}

/** Return the values that a link gives a new record: references by key, with their names. */
export function buildPresetValues(screen: Screen, given: Record<string, string> = {}): Row {
  const values: Row = {};
  for (const field of screen.fields) {
    const value = given[field.name];
    if (value === undefined || !isWritable(field)) continue;
    values[field.name] = field.type === 'ref' ? Number(value) : value;
    if (field.label_field) values[field.label_field] = given[labelKey(field.name)] ?? '';
  }
  return values;
}

/** A copy of a bill: what may be copied, under today's date; links to other bills, numbers and states stay behind. */
export function buildCopiedValues(screen: Screen, source: Row): Row {
  const values = buildNewValues(screen);
  const take = (target: Row, fields: Field[], from: Row) => {
    for (const field of fields) {
      if (!field.copied || !(field.name in from)) continue;
      if (isWritable(field) && field.type === 'date' && field.name in values) continue;
      if (isPastDate(field, from[field.name])) continue;
      target[field.name] = from[field.name];
      if (field.label_field) target[field.label_field] = from[field.label_field];
    }
    return target;
  };
  take(values, screen.fields.filter(isWritable), source);
  for (const block of screen.blocks) {
    // What a source offered once (open items) is no longer what it was.
    const rows = block.source === null ? source[block.name] : [];
    values[block.name] = Array.isArray(rows) ? rows.map((row: Row) => take({}, block.fields, row)) : [];
  }
  return values;
}

/** Return whether a date that may not precede its bill's date lies before today. */
function isPastDate(field: Field, value: unknown): boolean {
  return field.type === 'date' && field.since === 'business_date' && typeof value === 'string' && value < today();
}

/** The lines of sales orders whose goods the form's lines take. */
export function listShippedOrderLines(form: FormModel): number[] {
  const lines = form.blocks.filter(({ block }) => block.takes_available).flatMap(({ store }) => store.get());
  return [...new Set(lines.map(({ values }) => Number(values[ORDER_LINE_FIELD] ?? 0)))].filter((key) => key > 0);
}

/** Changes of a header field; what it narrowed (warehouse of a company, batch of a warehouse) is emptied. */
export function changeHeader(form: FormModel, fields: Field[], changes: Row): void {
  const names = Object.keys(changes);
  const others = (told: Record<string, string>) =>
    Object.fromEntries(Object.entries(told).filter(([name]) => !names.includes(name)));
  form.header.set(({ values, problems, hints, doubts }) => {
    const emptied = clearDependents(fields, names, values);
    return {
      values: { ...values, ...emptied, ...changes, ...markTyped(fields, changes) },
      problems: others(problems),
      hints: others(hints),
      doubts: others(doubts),
    };
  });
  for (const { block, store } of form.blocks) {
    store.set((lines) => {
      const next = lines.map((line) => {
        const emptied = clearDependents(block.fields, names, line.values);
        return Object.keys(emptied).length === 0 ? line : { ...line, values: { ...line.values, ...emptied } };
      });
      return next.some((line, index) => line !== lines[index]) ? next : lines;
    });
  }
}

/** Flag computed fields as typed, or as computed again once they are emptied. */
function markTyped(fields: Field[], changes: Row): Row {
  const typed = fields.filter(({ name, typed_in: flag }) => flag && name in changes);
  return Object.fromEntries(typed.map((field) => [field.typed_in, !isEmptyValue(field, changes[field.name])]));
}

function clearDependents(fields: Field[], changed: string[], values: Row): Row {
  const emptied: Row = {};
  for (const field of fields) {
    if (!field.ref?.filter_by.some((name) => changed.includes(name)) || isEmptyValue(field, values[field.name]))
      continue;
    emptied[field.name] = null;
    if (field.label_field) emptied[field.label_field] = null;
  }
  return emptied;
}

/** Checks the whole form and marks what is wrong; every mistake is told at once. */
export function validateForm(screen: Screen, form: FormModel): Failure[] {
  const failures: Failure[] = [];
  const addFailure = (serial: string, msg: string) => failures.push({ index: failures.length + 1, serial, msg });
  const { values } = form.header.get();
  const problems = rowProblems(screen.fields, values, 'form');
  form.header.set((before) => ({ ...before, problems }));
  for (const field of screen.fields) {
    const problem = problems[field.name];
    if (problem) addFailure('表头', problem === requiredMessage(field) ? problem : `${field.label}：${problem}`);
  }
  for (const { block, store } of form.blocks) {
    store.set((lines) => dropBlankLines(block, lines).map((line) => validateLine(block.fields, line)));
    const lines = store.get().filter((line) => !isBlankLine(block.fields, line) || store.get().length > 1);
    const empty = store.get().every((line) => isOnlyUntouched(block, line));
    if (empty && block.required) addFailure('', `请录入${block.label}`);
    if (empty) {
      store.set((before) => before.map((line) => ({ ...line, problems: {} })));
      continue;
    }
    lines.forEach((line, index) => {
      for (const problem of Object.values(line.problems))
        addFailure(`${blockPrefix(screen, block)}第${index + 1}行`, problem);
    });
  }
  return failures;
}

function isOnlyUntouched(block: Block, line: LineRow): boolean {
  return isBlankLine(block.fields, { ...line, problems: {} });
}

/** Blank lines are dropped before sending, so that the server's row numbers are the grid's. */
function dropBlankLines(block: Block, lines: LineRow[]): LineRow[] {
  const kept = lines.filter((line) => !isBlankLine(block.fields, line));
  return kept.length > 0 ? kept : lines.slice(0, 1);
}

export function buildPayload(screen: Screen, form: FormModel, id: number | null): Row {
  const { values } = form.header.get();
  const payload: Row = {};
  for (const field of screen.fields) {
    if (!isWritable(field) || !(field.name in values)) continue;
    const value = values[field.name];
    payload[field.name] = value === '' || value === undefined ? null : typeof value === 'string' ? value.trim() : value;
  }
  for (const { name, typed_in: flag } of screen.fields)
    if (flag && name in payload) payload[flag] = payload[name] !== null;
  for (const { block, store } of form.blocks) {
    payload[block.name] = store
      .get()
      .filter((line) => !isOnlyUntouched(block, line))
      .map((line) => buildLinePayload(block.fields, line));
  }
  return id === null ? payload : { ...payload, id, revision: values.revision };
}

/** Return the block's label as the prefix of its row names; the first block has none. */
function blockPrefix(screen: Screen, block: Block): string {
  return screen.blocks[0]?.name === block.name ? '' : block.label;
}

/** Marks on the form what the server refused; its failures name a row (第3行, 产出明细第3行) or nothing for the header. */
export function markFailures(screen: Screen, form: FormModel, failures: Failure[]): void {
  const named = (fields: Field[], msg: string) => fields.find((field) => field.form && msg.includes(field.label))?.name;
  for (const { serial, msg } of failures) {
    const [, label, row] = /^(.*?)第(\d+)行$/.exec(serial) ?? [];
    const of = form.blocks.find(({ block }) => blockPrefix(screen, block) === label);
    if (row !== undefined && of) {
      const name = named(of.block.fields, msg) ?? '#';
      of.store.update(Number(row) - 1, (line) => ({ ...line, problems: { ...line.problems, [name]: msg } }));
    } else {
      const name = named(screen.fields, msg);
      if (name) form.header.set((before) => ({ ...before, problems: { ...before.problems, [name]: msg } }));
    }
  }
}
