import type { GoodsRow } from '../queries';
import type { Field, Pricing } from '../types';
import {
  markMissingFigures,
  chooseCell,
  clearRefusedNumbers,
  fillGoods,
  newLine,
  markRefusedCells,
  typeCell,
  type LineRow,
} from './lineModel';
import { isMiscounted, PACK_FIELDS, PACK_PROBLEM } from './packs';

/** A sheet that the server read: what its rows give the lines of a form, and what of them can't be taken. Pure. */

export interface SheetCell {
  value: unknown;
  /** The name of what a reference or choice stands for; of goods their code. */
  label: string | null;
}

export interface Sheet {
  lines: { row: number; cells: Record<string, SheetCell> }[];
  problems: { row: number; field: string; label: string; msg: string }[];
}

export interface SheetTarget {
  fields: Field[];
  goods: Field | undefined;
  pricing: Pricing | null;
  found: Map<string, GoodsRow>;
  priceOf: (goods: GoodsRow) => unknown;
}

/** The codes of the goods in a sheet. */
export function listSheetCodes(sheet: Sheet, goods: Field | undefined): string[] {
  if (!goods) return [];
  const codes = sheet.lines.map((line) => line.cells[goods.name]?.label ?? '');
  return [...new Set(codes.filter((code) => code !== ''))];
}

/** Every row makes a line; a cell that can't be taken is empty and marked, and so is a figure that nothing tells. */
export function buildSheetLines(sheet: Sheet, target: SheetTarget): LineRow[] {
  return sheet.lines.map(({ row, cells }) => {
    let line = buildGoodsLine(cells, target);
    for (const field of target.fields) {
      const cell = cells[field.name];
      if (cell && field.name !== target.goods?.name) line = fillCell(line, field, cell, target.pricing);
    }
    const problems = sheet.problems.filter((one) => one.row === row).map((one) => [one.field, one.msg]);
    const miscounted = isMiscounted(cells[PACK_FIELDS.quantity]?.value, line.values);
    line = clearRefusedNumbers(target.fields, line, Object.fromEntries(problems), target.pricing);
    if (miscounted) line = markRefusedCells(line, { [PACK_FIELDS.quantity]: PACK_PROBLEM });
    return markMissingFigures(target.fields, line);
  });
}

/**
 * Return the problems of a sheet's lines: those that the server found, and values missing now that the goods are known.
 */
export function listSheetProblems(sheet: Sheet, lines: LineRow[], fields: Field[]): Sheet['problems'] {
  const reported = new Set(sheet.problems.map(({ row, field }) => `${row} ${field}`));
  const labels = new Map(fields.map(({ name, label }) => [name, label]));
  const found = sheet.lines.flatMap(({ row }, at) =>
    Object.entries(lines[at]?.refused ?? {}).map(([field, msg]) => ({
      row,
      field,
      label: labels.get(field) ?? field,
      msg,
    })),
  );
  return [...sheet.problems, ...found.filter(({ row, field }) => !reported.has(`${row} ${field}`))];
}

/** Goods first: they bring a price and a tax rate, which the sheet's own cells overrule. */
function buildGoodsLine(
  cells: Record<string, SheetCell>,
  { fields, goods: field, pricing, found, priceOf }: SheetTarget,
): LineRow {
  const blank = newLine(fields);
  const cell = field && cells[field.name];
  if (!cell) return blank;
  const goods = found.get(cell.label ?? '');
  if (!goods) return chooseCell(blank, field, cell.value, cell.label, pricing);
  return fillGoods(blank, { fields, field, pricing, goods, price: priceOf(goods) });
}

function fillCell(line: LineRow, field: Field, cell: SheetCell, pricing: Pricing | null): LineRow {
  if (field.type === 'ref' || field.type === 'enum' || field.type === 'bool')
    return chooseCell(line, field, cell.value, cell.label, pricing);
  return typeCell(line, field, String(cell.value), pricing).line;
}
