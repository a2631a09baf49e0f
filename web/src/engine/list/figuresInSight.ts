import { ROOM } from '../lines/inSight';
import type { Field } from '../types';
import { INDEX_WIDTH, SELECTION_WIDTH } from './listWidths';

/** So many figures of a row are read first. */
const MOST = 4;
const FIGURES = new Set(['quantity', 'money', 'price']);

/**
 * A list's columns, its first figures in sight on a screen of 1366 px beside the open menu: where one would stand beyond it,
 * they follow those columns before them that there is room for.
 */
export function withFiguresInSight(listed: Field[]): Field[] {
  const figures = listed.filter((field) => !field.optional && FIGURES.has(field.type) && (field.total || field.type === 'price')).slice(0, MOST);
  const last = figures.at(-1);
  if (last === undefined) return listed;
  let left = ROOM - INDEX_WIDTH - SELECTION_WIDTH;
  if (widthOf(listed.slice(0, listed.indexOf(last) + 1)) <= left) return listed;
  const others = listed.filter((field) => !figures.includes(field));
  left -= widthOf(figures);
  const ends = others.findIndex((_, at) => widthOf(others.slice(0, at + 1)) > left);
  const before = Math.max(1, Math.min(ends, listed.indexOf(figures[0]!)));
  return [...others.slice(0, before), ...figures, ...others.slice(before)];
}

const widthOf = (fields: Field[]): number => fields.reduce((all, { width, optional }) => all + (optional ? 0 : width), 0);
