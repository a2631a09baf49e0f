import type { Failure } from '../../lib/errors';
import { isNumberType } from '../../lib/validation';
import { isEmptyValue } from '../fields/fieldValue';
import type { GoodsRow } from '../queries';
import type { Field, Pricing } from '../types';
import {
  markMissingFigures,
  chooseCell,
  clearRefusedNumbers,
  fillGoods,
  isEditable,
  newLine,
  markRefusedCells,
  typeCell,
  type LineRow,
} from './lineModel';
import { isMiscounted, PACK_FIELDS, PACK_PROBLEM, readUnits } from './packs';

/** Pasting cells of a spreadsheet into a bill's lines; pure once the goods have been looked up. */

/** Headings of a goods column, best first: a sheet with codes and names is read by its codes. */
const GOODS_HEADINGS = ['商品编码', '商品编号', '编码', '货号', '商品条码', '条码', '商品', '商品名称'];

const FLAG_VALUES: Partial<Record<string, boolean>> = { 是: true, 否: false };

export interface PasteTarget {
  /** The grid's columns as shown. */
  columns: Field[];
  goods: Field | undefined;
  pricing: Pricing | null;
  start: { row: number; col: number };
  /** Every field of the lines; headings name hidden ones as well. */
  lineFields: Field[];
}

export interface PastePlan {
  /** For each pasted column, the field it fills. */
  fields: (Field | null)[];
  rows: string[][];
}

/** By headings where the first row has them; else goods, numbers and texts in the grid's order from the active cell, a total behind what it follows from. */
export function planPaste(matrix: string[][], { columns, goods, pricing, start, lineFields }: PasteTarget): PastePlan {
  const [first = [], ...rest] = matrix;
  const goodsHeading = goods && GOODS_HEADINGS.find((heading) => first.includes(heading));
  const others = lineFields.filter(
    (field) => field.name !== goods?.name && !field.hidden && isEditable(field, pricing),
  );
  const headed = first.map((cell) =>
    goods && cell === goodsHeading ? goods : (others.find((field) => field.label === cell) ?? null),
  );
  const known = headed.filter((field) => field !== null).length;
  if (goodsHeading || (known > 0 && known * 2 >= first.filter((cell) => cell !== '').length))
    return { fields: headed, rows: rest };
  const takers = columns.filter(
    (field, col) =>
      col >= start.col && isEditable(field, pricing) && (col === start.col || isPlainTextField(field, goods)),
  );
  // A total follows from the figures, wherever its column stands: it comes behind them.
  const late = takers.filter((field, at) => at > 0 && field.name === pricing?.total);
  const plain = takers.filter((field) => !late.includes(field));
  const behind =
    plain.findLastIndex(({ name }) => [pricing?.price, pricing?.discount, pricing?.tax_rate].includes(name)) + 1;
  return { fields: [...plain.slice(0, behind), ...late, ...plain.slice(behind)], rows: matrix };
}

function isPlainTextField(field: Field, goods: Field | undefined): boolean {
  return field.name === goods?.name || (field.type !== 'ref' && field.type !== 'bool' && field.type !== 'enum');
}

/** The distinct goods codes of a paste. */
export function listPastedCodes(plan: PastePlan, goods: Field | undefined): string[] {
  const at = plan.fields.findIndex((field) => field !== null && field.name === goods?.name);
  if (at < 0) return [];
  return [...new Set(plan.rows.map((row) => row[at] ?? '').filter((code) => code !== ''))];
}

export interface PasteOptions extends PasteTarget {
  found: Map<string, GoodsRow>;
  priceOf: (goods: GoodsRow) => unknown;
}

export interface PasteResult {
  lines: LineRow[];
  problems: Failure[];
}

/** N pasted rows make N lines, whatever is wrong in them; every mistake is told. */
export function pasteLines(lines: LineRow[], plan: PastePlan, options: PasteOptions): PasteResult {
  const result = [...lines];
  const problems: PasteResult['problems'] = [];
  plan.rows.forEach((cells, offset) => {
    const index = options.start.row + offset;
    const outcome = pasteRow(result[index] ?? newLine(options.lineFields), cells, plan.fields, options);
    result[index] = outcome.line;
    for (const problem of outcome.problems)
      problems.push({ index: problems.length + 1, serial: `第${index + 1}行`, ...problem });
  });
  return { lines: result, problems };
}

function pasteRow(start: LineRow, cells: string[], fields: (Field | null)[], options: PasteOptions) {
  let line = start;
  const problems: { field: string; msg: string }[] = [];
  const refuse = (field: Field, msg: string) => {
    problems.push({ field: field.label, msg });
    line = markRefusedCells(line, { [field.name]: msg });
  };
  // Goods first: they bring a price and a tax rate that the pasted cells overrule.
  const at = fields.findIndex((field) => field !== null && field.name === options.goods?.name);
  const code = at < 0 ? '' : (cells[at] ?? '');
  if (options.goods && code !== '') {
    // Two goods may differ in case only.
    const goods = options.found.get(code) ?? options.found.get(code.toLowerCase());
    if (goods) {
      line = fillGoods(line, {
        fields: options.lineFields,
        field: options.goods,
        pricing: options.pricing,
        goods,
        price: options.priceOf(goods),
      });
    } else {
      line = {
        ...line,
        values: { ...line.values, [options.goods.name]: null, [options.goods.label_field ?? '']: code },
      };
      refuse(options.goods, `未找到商品：${code}`);
    }
  }
  fields.forEach((field, col) => {
    const text = cells[col];
    if (field === null || col === at || text === undefined || text === '') return;
    if (field.name === PACK_FIELDS.unit) {
      const unit = readUnits(line.values)?.find((one) => one.unit_name === text);
      if (!unit) return refuse(field, `该商品没有辅单位：${text}`);
      line = chooseCell(line, field, unit.unit_id, unit.unit_name, options.pricing);
      return;
    }
    const chosen =
      field.type === 'bool' ? FLAG_VALUES[text] : field.options?.find((option) => option.label === text)?.value;
    if (chosen !== undefined) {
      line = chooseCell(line, field, chosen, null, options.pricing);
      return;
    }
    if (field.type === 'ref' || field.type === 'enum' || field.type === 'bool')
      return refuse(field, `${field.label}：请在单元格中选择“${text}”`);
    const entry = typeCell(line, field, text, options.pricing);
    line = entry.line;
    if (entry.problem !== null) refuse(field, entry.problem);
  });
  const counted = fields.findIndex((field) => field?.name === PACK_FIELDS.quantity);
  const field = fields[counted];
  if (field && !(field.name in line.problems) && isMiscounted(cells[counted], line.values)) refuse(field, PACK_PROBLEM);
  if (code === '') return { line, problems };
  const before = line.refused;
  const empty = fields.filter(
    (one, col) => one !== null && cells[col] === '' && !(one.name in before) && isFigureRequired(one, line),
  );
  line = clearRefusedNumbers(
    options.lineFields,
    line,
    Object.fromEntries(empty.map((one) => [one!.name, MISSING_MESSAGE])),
    options.pricing,
  );
  line = markMissingFigures(options.lineFields, line);
  for (const { name, label } of options.lineFields) {
    if (name in line.refused && !(name in before)) problems.push({ field: label, msg: line.refused[name]! });
  }
  return { line, problems };
}

const MISSING_MESSAGE = '不能为空';

/** Return whether an empty cell of a figure is an error: a value that the goods bring doesn't replace it. */
function isFigureRequired(field: Field, line: LineRow): boolean {
  if (!isNumberType(field.type)) return false;
  if (field.asked_unless) return !line.values[field.asked_unless];
  return field.required && !(field.name === 'quantity' && !isEmptyValue(field, line.values[PACK_FIELDS.quantity]));
}
