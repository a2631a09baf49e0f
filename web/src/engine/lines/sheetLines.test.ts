import { describe, expect, it } from 'vitest';
import { goodsLineFields as fields, pricing } from '../fixtures';
import type { GoodsRow } from '../queries';
import { validateLine, goodsField } from './lineModel';
import { listSheetCodes, buildSheetLines, listSheetProblems, type Sheet } from './sheetLines';

const goods = goodsField({ name: 'lines', label: '商品明细', fields, required: true, source: null });
const tyre: GoodsRow = {
  goods_id: 11,
  goods_num: 'MX205',
  goods_name: '米其林 205/55R16',
  tax_rate: '13',
  last_price: '455',
};
const target = {
  fields,
  goods,
  pricing,
  found: new Map([['MX205', tyre]]),
  priceOf: (row: GoodsRow) => row.last_price,
};
const cell = (value: unknown, label: string | null = null) => ({ value, label });

describe('a sheet', () => {
  it('gives a line for each row; its own cells overrule what the goods bring', () => {
    const sheet: Sheet = {
      lines: [
        { row: 2, cells: { goods_id: cell(11, 'MX205'), quantity: cell('4'), price: cell('400') } },
        { row: 3, cells: { goods_id: cell(11, 'MX205') } },
      ],
      problems: [],
    };
    expect(listSheetCodes(sheet, goods)).toEqual(['MX205']);
    const [one, other] = buildSheetLines(sheet, target).map((line) => line.values);
    expect(one).toMatchObject({
      goods_id: 11,
      goods_name: '米其林 205/55R16',
      quantity: '4',
      price: '400',
      amount: '1600.00',
    });
    expect(other).toMatchObject({ quantity: '1', price: '455', amount: '455.00' });
  });

  it('marks what could not be taken and keeps the rest of the row', () => {
    const sheet: Sheet = {
      lines: [{ row: 2, cells: { price: cell('3') } }],
      problems: [
        { row: 2, field: 'goods_id', label: '商品', msg: '没有找到“X”' },
        { row: 9, field: 'price', label: '单价', msg: '别处' },
      ],
    };
    const [line] = buildSheetLines(sheet, target);
    expect(line?.problems).toEqual({ goods_id: '没有找到“X”' });
    expect(line?.values).toMatchObject({ price: '3' });
  });

  it('takes goods that the picker does not offer by their key', () => {
    const sheet: Sheet = { lines: [{ row: 2, cells: { goods_id: cell(99, 'OLD') } }], problems: [] };
    expect(buildSheetLines(sheet, target)[0]?.values).toMatchObject({ goods_id: 99, goods_name: 'OLD' });
  });

  it('empties what could not be taken, whatever the goods bring for it', () => {
    const sheet: Sheet = {
      lines: [{ row: 2, cells: { goods_id: cell(11, 'MX205') } }],
      problems: [
        { row: 2, field: 'quantity', label: '数量', msg: '不能为空' },
        { row: 2, field: 'price', label: '单价', msg: '是公式而没有结果' },
      ],
    };
    const [line] = buildSheetLines(sheet, target);
    expect(line?.values).toMatchObject({ quantity: '', price: '' });
    expect(Object.keys(validateLine(fields, line!).problems).sort()).toEqual(['price', 'quantity']);
  });

  it('asks for a price that neither the sheet nor the goods tell, but of gifts', () => {
    const asked = fields.map((one) => (one.name === 'price' ? { ...one, asked_unless: 'is_gift' } : one));
    const priceless = { ...target, fields: asked, priceOf: () => null };
    const sheet: Sheet = {
      lines: [
        { row: 2, cells: { goods_id: cell(11, 'MX205'), quantity: cell('4') } },
        { row: 3, cells: { goods_id: cell(11, 'MX205'), quantity: cell('4'), is_gift: cell(true) } },
        { row: 4, cells: { goods_id: cell(11, 'MX205'), quantity: cell('4'), price: cell('3') } },
      ],
      problems: [],
    };
    const lines = buildSheetLines(sheet, priceless);
    expect(listSheetProblems(sheet, lines, asked)).toEqual([
      { row: 2, field: 'price', label: '单价', msg: '不能为空；赠品请勾选“赠品”' },
    ]);
    expect(lines.map((line) => Object.keys(validateLine(asked, line).problems))).toEqual([['price'], [], []]);
  });
});
