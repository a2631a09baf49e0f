import { isNumberType } from '../../lib/validation';
import type { Field, Pricing } from '../types';
import { isPack, quantityField } from './packs';

/**
 * Which columns of goods stand where, and how wide: first the goods with what tells them apart, then what is keyed in or
 * decides (how many, for how much, how many there are), so that all of it is in sight on a small screen with the menu open;
 * what follows from it and what is seldom touched comes behind. A user's own columns are as he set them.
 */

/** What a grid of lines has on a screen of 1366 px beside the open menu and a scroll bar (px). */
export const ROOM = 1076;
/** Of the column that counts the lines. */
export const INDEX_WIDTH = 48;
const MOST = { along: 100, ref: 100, number: 110 } as const;
/** Read along, goods are still told apart at so much of that. */
const LEAST_SHARE = 0.75;
/** What a goods code takes (px). */
const CODE = 88;

/** The field of what a scanner reads off each piece, which most goods have nothing of; a dialog of its own takes it. */
export const NUMBERS = 'tire_numbers';

export function isGoodsField(field: Field): boolean {
  return field.ref?.resource === 'goods';
}

/** Columns in the order and width in which they are shown; `besides` are columns of the grid's own that stand with the figures while there is room. */
export function arranged(columns: Field[], pricing: Pricing | null, besides: Field[] = []): Field[] {
  const at = columns.findIndex(isGoodsField);
  if (at < 0) return columns;
  const goods = columns[at]!;
  const others = columns.filter((field) => field !== goods);
  const behind = columns.slice(at + 1);
  const ends = behind.findIndex((field) => field.form || isNumberType(field.type));
  const along = (ends < 0 ? behind : behind.slice(0, ends)).filter(({ bill }) => !bill).map((field) => cut(field, MOST.along));
  const rest = others.filter((field) => !along.some(({ name }) => name === field.name));

  // Goods that need not be named are named by their brand or type instead.
  const instead = goods.form && !goods.required;
  const first = rest.findIndex((field) => isFigure(field, pricing));
  const isMeant = (field: Field, place: number) =>
    isFigure(field, pricing) || isPack(field) || (field.form && field.required) || (instead && isChosen(field)) || (place < first && isTyped(field));
  const meant = rest.filter(isMeant).map(narrowed);
  const led = instead ? [goods, ...meant] : [goods, ...along, ...meant];

  const room = ROOM - INDEX_WIDTH - sum(led) + (instead ? 0 : sum(along) * (1 - LEAST_SHARE));
  const seen = sum(besides) <= room ? besides : [];
  const quantity = meant.findIndex(({ name }) => name === quantityField(pricing));
  const figures = [...meant.slice(0, quantity + 1), ...seen, ...meant.slice(quantity + 1)];

  const left = rest.filter((field) => !meant.some(({ name }) => name === field.name));
  const places = left.filter((field) => isChosen(field)).map(narrowed);
  const prices = left.filter((field) => isPriced(field, pricing));
  const last = left.filter((field) => !prices.includes(field) && !places.some(({ name }) => name === field.name));
  const late = besides.filter((field) => !seen.includes(field));
  if (instead) return [goods, ...figures, ...along, ...late, ...prices, ...places, ...last];
  const wanted = sum(figures) + (prices.length + late.length === 0 ? sum(places) : 0);
  const fitting = wanted + sum(along) * LEAST_SHARE + goods.width + INDEX_WIDTH <= ROOM ? wanted : sum(figures);
  return [goods, ...shrunk(along, ROOM - INDEX_WIDTH - goods.width - fitting), ...figures, ...late, ...prices, ...places, ...last];
}

/** What has to be in sight: a number that is keyed in or decides, but for how a price comes about. */
export function isFigure(field: Field, pricing: Pricing | null): boolean {
  if (field.decides !== undefined && field.decides !== null) return field.decides;
  if ([pricing?.quantity, pricing?.price, pricing?.total].includes(field.name)) return true;
  return field.form && isNumberType(field.type) && !isPack(field) && !isPriced(field, pricing);
}

/** What a price and its total come about by, or are made up of. */
function isPriced(field: Field, pricing: Pricing | null): boolean {
  return field.form && (field.name === pricing?.discount || field.name === pricing?.tax_rate);
}

/** A reference that may stay empty: a brand, a location, a batch. */
function isChosen(field: Field): boolean {
  return field.form && field.type === 'ref' && !field.required;
}

/** What is typed before the figures: the batch that goods bring, the way of a promotion. */
function isTyped(field: Field): boolean {
  return field.form && field.type !== 'ref' && field.type !== 'bool' && !isNumberType(field.type) && field.name !== NUMBERS;
}

function narrowed(field: Field): Field {
  return isNumberType(field.type) ? cut(field, MOST.number) : field.type === 'ref' ? cut(field, MOST.ref) : field;
}

const cut = (field: Field, most: number): Field => (field.width > most ? { ...field, width: most } : field);

const sum = (fields: Field[]): number => fields.reduce((all, { width, optional }) => all + (optional ? 0 : width), 0);

/** Columns that come to no more than there is room for, while they can still be read: the code whole, the others, which names tell as well, each less by the same part. */
function shrunk(fields: Field[], room: number): Field[] {
  const all = sum(fields);
  const left = Math.max(all * LEAST_SHARE, Math.min(all, room));
  const [code, ...others] = fields;
  if (left >= all || code === undefined || others.length === 0) return fields;
  const kept = Math.min(code.width, CODE);
  const share = Math.min(1, (left - kept) / sum(others));
  return [{ ...code, width: kept }, ...others.map((field) => ({ ...field, width: Math.floor(field.width * share) }))];
}
