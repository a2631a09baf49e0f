import { describe, expect, it } from 'vitest';
import { buildField, goodsLineFields, pricing } from '../fixtures';
import {
  incrementQuantity,
  validateLine,
  chooseCell,
  clearCell,
  fillGoods,
  isBlankLine,
  buildLinePayload,
  newLine,
  typeCell,
  type LineRow,
} from './lineModel';
import type { Field } from '../types';
import { gridFields } from './gridColumns';
import { createLineStore } from './lineStore';
import { isTable, parseTsv } from './tsv';

const fields = goodsLineFields;
const byName = (name: string) => fields.find((one) => one.name === name)!;
const type = (line: LineRow, name: string, text: string) => typeCell(line, byName(name), text, pricing).line;
const tyre = {
  goods_id: 11,
  goods_num: 'MX205',
  goods_name: '米其林 205/55R16',
  tax_rate: '13',
  available_stocks: '40',
  last_price: '455',
  barcode: '690',
};
const fill = (line: LineRow) =>
  fillGoods(line, { fields, field: byName('goods_id'), pricing, goods: tyre, price: tyre.last_price });

describe('a priced line', () => {
  it('takes goods with names, stock, last price and quantity 1', () => {
    const { values } = fill(newLine(fields));
    expect(values).toMatchObject({
      goods_id: 11,
      goods_name: '米其林 205/55R16',
      goods_num: 'MX205',
      available_stocks: '40',
      last_price: '455',
      quantity: '1',
      price: '455',
      amount: '455.00',
      tax_amount: '52.35',
      no_tax_amount: '402.65',
    });
  });
  it('keeps a quantity typed before the goods', () => {
    expect(fill(type(newLine(fields), 'quantity', '4')).values).toMatchObject({ quantity: '4', amount: '1820.00' });
  });
  it('other goods drop location and batch', () => {
    const line = chooseCell(fill(newLine(fields)), byName('batch_id'), 5, '1226', pricing);
    expect(fill(line).values).toMatchObject({ batch_id: null, batch: null });
  });
  it('follows quantity, price, discount and total', () => {
    let line = fill(newLine(fields));
    line = type(line, 'quantity', '4');
    line = type(line, 'price', '450');
    expect(line.values.amount).toBe('1800.00');
    line = type(line, 'discount_amount', '100');
    expect(line.values).toMatchObject({ amount: '1700.00', tax_amount: '195.58', no_tax_amount: '1504.42' });
    line = type(line, 'amount', '1900');
    expect(line.values).toMatchObject({ price: '500', discount_amount: '100.00', amount: '1900.00' });
  });
  it('3-rules 9: discount amount and discount unit price are linked through quantity', () => {
    const byPiece = gridFields({ name: 'lines', label: '', fields, required: true, source: null }, pricing).find(
      (one) => one.name === 'discount_price',
    )!;
    const store = createLineStore(
      fields,
      [type(type(fill(newLine(fields)), 'quantity', '4'), 'price', '450')],
      true,
      pricing,
    );
    const key = (field: Field, text: string) => {
      store.update(0, (line) => typeCell(line, field, text, pricing).line);
      const { discount_price, discount_amount, amount } = store.get()[0]!.values;
      return [discount_price, discount_amount, amount];
    };
    expect(key(byPiece, '5')).toEqual(['5', '20.00', '1780.00']);
    expect(key(byName('quantity'), '6')).toEqual(['5', '30.00', '2670.00']);
    expect(key(byName('discount_amount'), '45')).toEqual(['7.5', '45.00', '2655.00']);
    expect(key(byName('quantity'), '9')).toEqual(['5', '45.00', '4005.00']);
    expect(key(byName('discount_amount'), '0')).toEqual(['', '0', '4050.00']);
    expect(byPiece.optional).toBe(true);
    expect(buildLinePayload(fields, store.get()[0]!)).not.toHaveProperty('discount_price');
    expect(typeCell(store.get()[0]!, byPiece, '451', pricing).problem).toBe('优惠金额大于金额，已改为 0');
  });
  it('says where its price comes from until another is typed', () => {
    const line = fillGoods(newLine(fields), {
      fields,
      field: byName('goods_id'),
      pricing,
      goods: { ...tyre, price_source: '上次价' },
      price: '455',
    });
    expect(type(line, 'quantity', '4').values.price_source).toBe('上次价');
    expect(type(line, 'price', '455.00').values.price_source).toBe('上次价');
    expect(type(line, 'price', '450').values.price_source).toBeNull();
    expect(type(line, 'amount', '400').values.price_source).toBeNull();
  });
  it('a gift costs nothing', () => {
    const line = chooseCell(fill(newLine(fields)), byName('is_gift'), true, null, pricing);
    expect(line.values).toMatchObject({ price: '0', amount: '0.00' });
  });
  it('one more by a repeated scan', () => {
    expect(incrementQuantity(fill(newLine(fields)), pricing).values).toMatchObject({ quantity: '2', amount: '910.00' });
  });
  it('refuses one hundred million and keeps what was', () => {
    const line = type(fill(newLine(fields)), 'quantity', '10');
    const entry = typeCell(line, byName('price'), '99999999', pricing);
    expect(entry).toEqual({ line, problem: '数值不能超过一亿' });
  });
  it('leaves hidden prices alone', () => {
    const line = newLine(fields, { goods_id: 11, price: '无权限', amount: '无权限', quantity: '2' });
    expect(type(line, 'quantity', '3').values).toMatchObject({ quantity: '3', price: '无权限', amount: '无权限' });
  });
  it('clears a cell and reprices', () => {
    expect(clearCell(fill(newLine(fields)), byName('price'), pricing).values).toMatchObject({
      price: '',
      amount: '0.00',
    });
  });
  it('tells what a cell refuses', () => {
    const entry = typeCell(fill(newLine(fields)), byName('quantity'), '-4', pricing);
    expect(entry.problem).toBe('“数量”请输入大于0的数');
    expect(entry.line.values.quantity).toBe('');
  });
});

describe('before sending', () => {
  it('knows a line nobody wrote on', () => {
    expect(isBlankLine(fields, newLine(fields))).toBe(true);
    expect(isBlankLine(fields, type(newLine(fields), 'remark', '加急'))).toBe(false);
    expect(isBlankLine(fields, fill(newLine(fields)))).toBe(false);
  });
  it('tells all mistakes of a line', () => {
    const line = type(newLine(fields), 'remark', '加急');
    expect(validateLine(fields, line).problems).toEqual({ goods_id: '请选择商品', quantity: '请输入数量' });
  });
  it('asks for the batch of what comes in, where the goods are kept by batches', () => {
    const batched = [
      ...fields.filter(({ name }) => name !== 'batch_id'),
      buildField({ name: 'batch', label: '批次(DOT)' }),
    ];
    const comes = (is_batch: boolean, batch = '') => {
      const line = fillGoods(newLine(batched, { batch }), {
        fields: batched,
        field: byName('goods_id'),
        pricing,
        goods: { ...tyre, is_batch },
        price: '455',
      });
      return validateLine(batched, line).problems;
    };
    expect([comes(true), comes(true, '2326'), comes(false)]).toEqual([{ batch: '请录入批次(DOT)' }, {}, {}]);
  });
  it('sends written fields only', () => {
    const payload = buildLinePayload(fields, fill(newLine(fields)));
    expect(payload).toMatchObject({ goods_id: 11, quantity: '1', price: '455', is_gift: false });
    for (const name of ['amount', 'goods_name', 'available_stocks', 'last_price', 'is_batch'])
      expect(payload).not.toHaveProperty(name);
  });
});

describe('TSV', () => {
  it('reads rows of Excel, quoted cells among them', () => {
    expect(parseTsv('A1\t4\t450\r\nA2\t"a\tb"\t"say ""x"""\r\n')).toEqual([
      ['A1', '4', '450'],
      ['A2', 'a\tb', 'say "x"'],
    ]);
  });
  it('keeps empty cells and leading zeros', () => {
    expect(parseTsv('00123\t\t5')).toEqual([['00123', '', '5']]);
  });
  it('tells a single cell from a table', () => {
    expect(isTable(parseTsv('MX205'))).toBe(false);
    expect(isTable(parseTsv('a\tb'))).toBe(true);
  });
  it('field defaults are plain', () => expect(buildField({ name: 'x' }).type).toBe('text'));
});
