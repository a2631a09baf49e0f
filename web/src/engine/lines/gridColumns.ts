import { isWritable } from '../fields/fieldRules';
import type { Block, Field, Pricing } from '../types';
import { goodsField, isEditable } from './lineModel';

/** The grid's columns: the block's fields, with stock and last price beside goods. */

function beside(name: string, label: string, type: Field['type']): Field {
  return {
    name,
    label,
    type,
    required: false,
    readonly: true,
    list: true,
    search: false,
    form: false,
    total: false,
    width: 90,
    max_length: null,
    default: null,
    options: null,
    ref: null,
    label_field: null,
    rule: null,
    masked: false,
    copied: false,
    hidden: false,
  };
}

const STOCK = beside('available_stocks', '可用库存', 'quantity');
const LAST_PRICE = beside('last_price', '最近价', 'price');

export function gridFields(block: Block, pricing: Pricing | null): Field[] {
  const shown = block.fields.filter((field) => !field.hidden && (field.list || isEditable(field, pricing)));
  if (goodsField(block) === undefined || pricing === null) return shown;
  return shown.flatMap((field) => {
    if (field.name === pricing.quantity) return [field, STOCK];
    return field.name === pricing.price ? [field, LAST_PRICE] : [field];
  });
}

/**
 * Where Enter stops: what has to be keyed in. Optional references (location, batch: the oldest goes first), flags and
 * figures that follow from others are reached with Tab, arrows or the mouse.
 */
export function isStop(field: Field): boolean {
  return isWritable(field) && field.type !== 'bool' && (field.type !== 'ref' || field.required);
}

export interface Cursor {
  row: number;
  col: number;
}

/** The next editable cell, reading order; `row` equals `rows` where a new line is wanted. */
export function nextCell(cursor: Cursor, editable: boolean[], rows: number): Cursor {
  const later = editable.findIndex((yes, col) => yes && col > cursor.col);
  if (later >= 0) return { row: cursor.row, col: later };
  const first = Math.max(0, editable.indexOf(true));
  return { row: Math.min(cursor.row + 1, rows), col: first };
}

export function previousCell(cursor: Cursor, editable: boolean[]): Cursor {
  for (let col = cursor.col - 1; col >= 0; col--) if (editable[col]) return { row: cursor.row, col };
  if (cursor.row === 0) return cursor;
  return { row: cursor.row - 1, col: Math.max(0, editable.lastIndexOf(true)) };
}
