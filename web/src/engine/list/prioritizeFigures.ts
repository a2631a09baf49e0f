import { GRID_WIDTH } from '../lines/columnLayout';
import type { Field } from '../types';
import { INDEX_WIDTH, SELECTION_WIDTH } from './listWidths';

/** Maximum number of figures moved into view. */
const MAX_FIGURES = 4;
const FIGURE_TYPES = new Set(['quantity', 'money', 'price']);

/** Resources of the partner column, which is read together with the figures. */
const PARTNER_RESOURCES = new Set(['customer', 'supplier']);

/**
 * A list's columns, its first figures and its partner in sight on a screen of 1366 px beside the open menu: where one would
 * stand beyond it, they follow those columns before them that there is room for.
 */
export function prioritizeFigures(listed: Field[]): Field[] {
  const figures = listed
    .filter((field) => !field.optional && FIGURE_TYPES.has(field.type) && (field.total || field.type === 'price'))
    .slice(0, MAX_FIGURES);
  const [first, last] = [figures[0], figures.at(-1)];
  if (first === undefined || last === undefined) return listed;
  let left = GRID_WIDTH - INDEX_WIDTH - SELECTION_WIDTH;
  if (sumWidths(listed.slice(0, listed.indexOf(last) + 1)) <= left) return listed;
  const partner = listed.find(
    (field) => !field.optional && field.ref !== null && PARTNER_RESOURCES.has(field.ref.resource),
  );
  const kept = partner ? [partner, ...figures] : figures;
  const others = listed.filter((field) => !kept.includes(field));
  left -= sumWidths(kept);
  const ends = others.findIndex((_, at) => sumWidths(others.slice(0, at + 1)) > left);
  const leading = others.filter((field) => listed.indexOf(field) < listed.indexOf(first)).length;
  const before = others.slice(0, Math.max(1, Math.min(ends, leading)));
  const head = listed.filter((field) => before.includes(field) || field === partner);
  return [...head, ...figures, ...others.slice(before.length)];
}

const sumWidths = (fields: Field[]): number =>
  fields.reduce((all, { width, optional }) => all + (optional ? 0 : width), 0);
