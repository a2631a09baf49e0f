import { isNumberType } from '../../lib/validation';
import type { Field, Pricing } from '../types';
import { isPackField, quantityField } from './packs';

/**
 * Which columns of goods stand where, and how wide: first the goods with what tells them apart, then what is keyed in or
 * decides (how many, for how much, how many there are), so that all of it is in sight on a small screen with the menu open;
 * what follows from it and what is seldom touched comes behind. A user's own columns are as he set them.
 */

/** Width of a line grid on a screen of 1366 px beside the open menu and a scroll bar (px). */
export const GRID_WIDTH = 1076;
/** Width of the line number column. */
export const INDEX_WIDTH = 48;
const MAX_WIDTHS = { along: 100, ref: 100, number: 110 } as const;
/** Read along, goods are still told apart at so much of that. */
const MIN_SHRINK_RATIO = 0.75;
/** Width of a goods code (px). */
const CODE_WIDTH = 88;

/** The field of what a scanner reads off each piece, which most goods have nothing of; a dialog of its own takes it. */
export const TYRE_NUMBERS_FIELD = 'tire_numbers';

export function isGoodsField(field: Field): boolean {
  return field.ref?.resource === 'goods';
}

/** Columns in the order and width in which they are shown; `besides` are columns of the grid's own that stand with the figures while there is room. */
export function arrangeColumns(columns: Field[], pricing: Pricing | null, besides: Field[] = []): Field[] {
  const at = columns.findIndex(isGoodsField);
  if (at < 0) return columns;
  const goods = columns[at]!;
  const others = columns.filter((field) => field !== goods);
  const behind = columns.slice(at + 1);
  const ends = behind.findIndex((field) => field.form || isNumberType(field.type));
  const along = (ends < 0 ? behind : behind.slice(0, ends))
    .filter(({ bill }) => !bill)
    .map((field) => limitWidth(field, MAX_WIDTHS.along));
  const rest = others.filter((field) => !along.some(({ name }) => name === field.name));

  // Goods that need not be named are named by their brand or type instead.
  const instead = goods.form && !goods.required;
  const first = rest.findIndex((field) => isFigure(field, pricing));
  const isMeant = (field: Field, place: number) =>
    isFigure(field, pricing) ||
    isPackField(field) ||
    (field.form && field.required) ||
    (instead && isOptionalRef(field)) ||
    (place < first && isTypedText(field));
  const meant = rest.filter(isMeant).map(narrowColumn);
  const led = instead ? [goods, ...meant] : [goods, ...along, ...meant];

  const room = GRID_WIDTH - INDEX_WIDTH - sumWidths(led) + (instead ? 0 : sumWidths(along) * (1 - MIN_SHRINK_RATIO));
  const seen = sumWidths(besides) <= room ? besides : [];
  const quantity = meant.findIndex(({ name }) => name === quantityField(pricing));
  const figures = [...meant.slice(0, quantity + 1), ...seen, ...meant.slice(quantity + 1)];

  const left = rest.filter((field) => !meant.some(({ name }) => name === field.name));
  const places = left.filter((field) => isOptionalRef(field)).map(narrowColumn);
  const prices = left.filter((field) => isPriceComponent(field, pricing));
  const last = left.filter((field) => !prices.includes(field) && !places.some(({ name }) => name === field.name));
  const late = besides.filter((field) => !seen.includes(field));
  if (instead) return [goods, ...figures, ...along, ...late, ...prices, ...places, ...last];
  const wanted = sumWidths(figures) + (prices.length + late.length === 0 ? sumWidths(places) : 0);
  const fitting =
    wanted + sumWidths(along) * MIN_SHRINK_RATIO + goods.width + INDEX_WIDTH <= GRID_WIDTH
      ? wanted
      : sumWidths(figures);
  return [
    goods,
    ...shrinkColumns(along, GRID_WIDTH - INDEX_WIDTH - goods.width - fitting),
    ...figures,
    ...late,
    ...prices,
    ...places,
    ...last,
  ];
}

/** Return whether a field has to be visible: a number that is keyed in or decides, except components of a price. */
export function isFigure(field: Field, pricing: Pricing | null): boolean {
  if (field.decides !== undefined && field.decides !== null) return field.decides;
  if ([pricing?.quantity, pricing?.price, pricing?.total].includes(field.name)) return true;
  return field.form && isNumberType(field.type) && !isPackField(field) && !isPriceComponent(field, pricing);
}

/** Return whether a field is a component of the price or the total. */
function isPriceComponent(field: Field, pricing: Pricing | null): boolean {
  return field.form && (field.name === pricing?.discount || field.name === pricing?.tax_rate);
}

/** A reference that may stay empty: a brand, a location, a batch. */
function isOptionalRef(field: Field): boolean {
  return field.form && field.type === 'ref' && !field.required;
}

/** Return whether a field is text typed before the figures: a batch, a promotion's method. */
function isTypedText(field: Field): boolean {
  return (
    field.form &&
    field.type !== 'ref' &&
    field.type !== 'bool' &&
    !isNumberType(field.type) &&
    field.name !== TYRE_NUMBERS_FIELD
  );
}

function narrowColumn(field: Field): Field {
  return isNumberType(field.type)
    ? limitWidth(field, MAX_WIDTHS.number)
    : field.type === 'ref'
      ? limitWidth(field, MAX_WIDTHS.ref)
      : field;
}

const limitWidth = (field: Field, most: number): Field => (field.width > most ? { ...field, width: most } : field);

const sumWidths = (fields: Field[]): number =>
  fields.reduce((all, { width, optional }) => all + (optional ? 0 : width), 0);

/** Columns that come to no more than there is room for, while they can still be read: the code whole, the others, which names tell as well, each less by the same part. */
function shrinkColumns(fields: Field[], room: number): Field[] {
  const all = sumWidths(fields);
  const left = Math.max(all * MIN_SHRINK_RATIO, Math.min(all, room));
  const [code, ...others] = fields;
  if (left >= all || code === undefined || others.length === 0) return fields;
  const kept = Math.min(code.width, CODE_WIDTH);
  const share = Math.min(1, (left - kept) / sumWidths(others));
  return [{ ...code, width: kept }, ...others.map((field) => ({ ...field, width: Math.floor(field.width * share) }))];
}
