/** Screen descriptions of the server, as the engine draws them. */
import type { Failure } from '../lib/errors';
import type { Bounds } from '../lib/validation';

export type FieldType =
  | 'text'
  | 'textarea'
  | 'integer'
  | 'quantity'
  | 'money'
  | 'price'
  | 'rate'
  | 'date'
  | 'datetime'
  | 'bool'
  | 'enum'
  | 'ref'
  | 'password'
  | 'image';

export interface FieldOption {
  value: string | number;
  label: string;
}

export interface Ref {
  resource: string;
  api: string;
  value: string;
  label: string;
  search: string[];
  filter_by: string[];
  /** Fixed values that narrow the choice. */
  only: Record<string, string>;
  /** Filter value for records without one: -1 for a brand. */
  none?: number | null;
  /** The choices are read whole and searched here. */
  at_once?: boolean;
  /** True if disabled records may be chosen too. */
  disabled?: boolean;
  /** True if records beyond the user's warehouses may be chosen too. */
  beyond?: boolean;
}

export interface Field {
  name: string;
  label: string;
  type: FieldType;
  required: boolean;
  readonly: boolean;
  list: boolean;
  search: boolean;
  form: boolean;
  total: boolean;
  width: number;
  max_length: number | null;
  default: unknown;
  options: FieldOption[] | null;
  ref: Ref | null;
  label_field: string | null;
  rule: string | null;
  bounds: Bounds | null;
  masked: boolean;
  /** True if copying a bill copies it; links to other bills are dropped. */
  copied: boolean;
  /** Sent, but never shown. */
  hidden: boolean;
  /** The rules under which files are uploaded. */
  scene?: string | null;
  /** The number of another bill, which it leads to, or several with 、 between them. */
  bill?: boolean;
  /** A column that shows once it is chosen or used. */
  optional?: boolean;
  /** True if it is shown with the figures that are keyed in; by default numbers that are keyed in are. */
  decides?: boolean | null;
  /** Meaning of a date: a day, the end of the list's period (sent as `<name>_end` alone), or its month. */
  span?: 'day' | 'until' | 'month';
  /** The day that it may not be before. */
  since?: string | null;
  /** Computed by the server unless somebody types one: the flag that tells which. */
  typed_in?: string | null;
  /** Field shown in its place if it has a value: the one of the books, for a reference. */
  told_by?: string | null;
  /** Date of a past event: one after today needs a confirmation. */
  happened?: boolean;
  /** An address: shown on a map, and found there. */
  place?: boolean;
  /** A figure that a sheet has to have, unless this flag of the row is set. */
  asked_unless?: string | null;
}

export interface Action {
  name: string;
  label: string;
  scope: 'page' | 'row' | 'batch';
  from: number[] | null;
  confirm: string | null;
  reason: boolean;
  danger: boolean;
  /** The fields whose values it is sent with. */
  asks?: string[];
  /** True if `getConsequence` returns its consequences in advance. */
  foreseen?: boolean;
}

/** Names of the line fields that the pricing rules tie together. */
export interface Pricing {
  quantity: string;
  price: string;
  discount: string | null;
  tax_rate: string | null;
  amount: string | null;
  total: string | null;
  tax: string | null;
  no_tax: string | null;
}

/** A call that proposes rows for what the header fields `by` say; one told the fields `of` the lines proposes what they lack. */
export interface Proposal {
  label: string;
  api: string;
  by: string[];
  of?: string[];
}

/**
 * A call that offers rows for a block, narrowed by header fields; the field `takes` takes part of what a row has open.
 * Rows of another bill's lines are `drawn`, others are open items to settle.
 */
export interface BlockSource {
  api: string;
  by: string[];
  takes: string;
  drawn: boolean;
}

/** A child table of a bill or record. */
export interface Block {
  name: string;
  label: string;
  fields: Field[];
  required: boolean;
  source: BlockSource | null;
  proposals?: Proposal[];
  /** True if its goods are taken out of the warehouse's available stock. */
  takes_available?: boolean;
  /** Maximum number of rows that come with the record; the record links to all of them. */
  shown?: number | null;
}

export interface Screen {
  name: string;
  label: string;
  family: 'resource' | 'bill';
  kind: 'list' | 'add' | 'edit' | 'see';
  api: string;
  key: string;
  /** The field by whose value a row opens; the key, but where rows open another screen's record. */
  see_key: string;
  title_field: string;
  routes: { list: string; add?: string; edit?: string; see?: string };
  keep_alive: boolean;
  fields: Field[];
  /** The block that is priced, if any; also the first of `blocks`. */
  line: Block | null;
  blocks: Block[];
  actions: Action[];
  order: { key: string; by: 'asc' | 'desc' };
  status_field: string | null;
  pricing: Pricing | null;
  /** Bills that can be drawn from this one. */
  follow_ups: FollowUp[];
  files?: FileCall[];
  /** Calls that fill in empty fields of the form. */
  fillings?: Filling[];
  /** Target of a row: another list, filtered by the row, or the address in the row. */
  drill?: Drill | null;
  /** The reference whose record a keyword finds, where the list has no texts of its own to search. */
  found_by?: string | null;
  /** Labels of what a keyword searches. */
  keyword?: string[];
  /** Fields of lines that the list's bills are found by. */
  line_filters?: Field[];
  /** The filters that the list opens with. */
  usual?: Record<string, string>;
  /** Columns that are empty but where the filter `by` has one of the values they stand under. */
  groups?: { by: string; columns: Record<string, string[]> } | null;
  /** Columns that stand before the others, whatever the order of the filters. */
  leading?: string[];
  /** Fields that the list's chart may sum up, and by which. */
  chart?: { axes: string[]; measures: string[] } | null;
  /** The code of the report that the screen is; entering it is recorded. */
  report?: string | null;
  /** True if the report is exported in every format and can be subscribed to. */
  filed?: boolean;
  /** Text above the list and the form. */
  note?: string | null;
  /** The statuses whose rows add to no total. */
  uncounted?: string[];
}

/** A figure of a whole filter by one of its columns: the largest values, or the days or months in their order. */
export interface Chart {
  axis: string;
  measure: string;
  points: { key: string; name: string; value: string }[];
  groups: number;
  total: string;
}

/** A file that a record gives or takes: `name` is the call below the screen's own. */
export interface FileCall {
  name: string;
  label: string;
  way: 'download' | 'upload';
  query: Record<string, string>;
  from: number[] | null;
}

/** A call below the screen's own that reads a picture of a paper, or searches companies, for the form's empty fields. */
export interface Filling {
  name: string;
  label: string;
  way: 'picture' | 'search';
}

export interface Drill {
  label: string;
  route: string;
  by: Record<string, string>;
  route_field: string;
}

export interface FollowUp {
  label: string;
  route: string;
  api: string;
  /** Type of the source bill passed to the later bill, if it is drawn from several types. */
  source?: string | null;
}

/** A row as the server answers it: numbers as strings, ids as integers. */
export type Row = Record<string, unknown>;

export interface ListAnswer<T = Row> {
  data: T[];
  /** Dropdowns and pickers count; a list's rows come without, see Totals. */
  total?: number;
  current_page: number;
  per_page: number;
  last_page: number;
  /** Time at which a report's figures were computed; other lists are as of now. */
  refreshed_at?: string;
  /** Notices about a report's figures: why they are not computed anew, or may still change. */
  notices?: string[];
}

export interface Totals {
  total: number;
  totals: Record<string, string>;
  /** Rows that add to no total, as voided bills don't. */
  uncounted?: number;
}

export interface BatchAnswer {
  success: number[];
  failures: Failure[];
  /** Other results, as texts. */
  notes?: string[];
}

/** Rows of one kind that a bill caused. */
export interface BillEffects {
  block: Block;
  rows: Row[];
  more: boolean;
}

export interface LogEntry {
  log_id: number;
  action: string;
  action_name: string;
  user_name: string;
  imitator_name: string | null;
  reason: string | null;
  at: string;
  before: Row | null;
  after: Row | null;
}

/** Tables count their rows themselves. */
export const LINE_NUMBER_FIELD = 'line_no';

/** Return the columns of the block's table; a source's own values come before the part taken of it. */
export function shownFields(block: Block): Field[] {
  const shown = block.fields.filter(
    (field) => !field.hidden && field.type !== 'password' && field.name !== LINE_NUMBER_FIELD,
  );
  return block.source === null
    ? shown
    : [...shown.filter((field) => !field.form), ...shown.filter((field) => field.form)];
}

export function recordKey(screen: Screen, row: Row): number {
  return Number(row[screen.key]);
}

export type RefField = Field & { ref: Ref };

export function isRef(field: Field): field is RefField {
  return field.type === 'ref' && field.ref !== null;
}

/** A field of the screen that refers to other records. */
export function findRefField(screen: Screen, name: string): RefField | undefined {
  return screen.fields.filter(isRef).find((field) => field.name === name);
}

/** Return the fields that a list may be filtered by. */
export function searchFields(screen: Screen): Field[] {
  return [...screen.fields, ...(screen.line_filters ?? [])].filter((field) => field.search && !field.masked);
}

export function findAction(screen: Screen, name: string): Action | undefined {
  return screen.actions.find((action) => action.name === name);
}

export function allowsStatus(action: Pick<Action, 'from'>, screen: Screen, row: Row): boolean {
  if (action.from === null || screen.status_field === null) return true;
  return action.from.includes(Number(row[screen.status_field]));
}
