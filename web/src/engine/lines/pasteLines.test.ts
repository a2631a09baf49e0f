import { describe, expect, it } from 'vitest';
import { goodsLineFields as fields, pricing } from '../fixtures';
import { validateLine, newLine } from './lineModel';
import { listPastedCodes, pasteLines, planPaste, type PasteOptions } from './pasteLines';
import { parseTsv } from './tsv';

const goods = fields.find((one) => one.name === 'goods_id')!;
const found = new Map([
  ['mx205', { goods_id: 11, goods_num: 'MX205', goods_name: '米其林 205/55R16', tax_rate: '13', last_price: '455' }],
  [
    '00124',
    {
      goods_id: 13,
      goods_num: '00124',
      goods_name: '机油',
      tax_rate: '13',
      units: [{ unit_id: 7, unit_name: '箱', factor: '12', barcode: null }],
    },
  ],
  ['00123', { goods_id: 12, goods_num: '00123', goods_name: '机油滤清器', tax_rate: '13' }],
]);
const options = (row = 0, col = 0): PasteOptions => ({
  columns: fields.filter((one) => !one.optional),
  lineFields: fields,
  goods,
  pricing,
  start: { row, col },
  found,
  priceOf: (one) => one.last_price,
});
const paste = (text: string, lines = [newLine(fields)], row = 0, col = 0) => {
  const plan = planPaste(parseTsv(text), options(row, col));
  return pasteLines(lines, plan, options(row, col));
};

describe('pasting rows', () => {
  it('takes goods, quantity, price in the order of the grid, batches left out', () => {
    const { lines, problems } = paste('MX205\t4\t450\n00123\t10\t12.5');
    expect(problems).toEqual([]);
    expect(lines.map((line) => line.values)).toMatchObject([
      { goods_id: 11, quantity: '4', price: '450', amount: '1800.00' },
      { goods_id: 12, quantity: '10', price: '12.5', amount: '125.00' },
    ]);
  });
  it('takes columns by their headings', () => {
    const { lines } = paste('数量\t商品编码\t备注\n3\tmx205\t加急');
    expect(lines[0]?.values).toMatchObject({ goods_id: 11, quantity: '3', remark: '加急', price: '455' });
  });
  it('takes a whole list with its headings: goods by their code, whatever they are called there', () => {
    const { lines, problems } = paste(
      '序号\t商品\t商品编码\t规格型号\t花纹\t单位\t数量\t可用库存\t单价\n1\t米其林\tMX205\t205/55R16\tMXV\t条\t４\t21\t1,450.50',
    );
    expect(problems).toEqual([]);
    expect(lines).toHaveLength(1);
    expect(lines[0]?.values).toMatchObject({ goods_id: 11, quantity: '4', price: '1450.5' });
  });
  it('takes a code without the zero-width marks around it', () => {
    expect(paste('\u200bMX205\ufeff\t4').lines[0]?.values).toMatchObject({ goods_id: 11, quantity: '4' });
  });
  it('asks for a figure whose cell is empty, and for a price that nothing tells, but of gifts', () => {
    const asked = fields.map((one) => (one.name === 'price' ? { ...one, asked_unless: 'is_gift' } : one));
    const target = { ...options(), lineFields: asked, columns: asked.filter((one) => !one.optional) };
    const plan = planPaste(parseTsv('商品编码\t数量\t赠品\nMX205\t\t\n00123\t2\t\n00123\t2\t是'), target);
    const { lines, problems } = pasteLines([newLine(asked)], plan, target);
    expect(problems.map(({ serial, field, msg }) => `${serial}${field}${msg}`)).toEqual([
      '第1行数量不能为空',
      '第2行单价不能为空；赠品请勾选“赠品”',
    ]);
    expect(lines.map((line) => Object.keys(validateLine(asked, line).problems))).toEqual([['quantity'], ['price'], []]);
  });
  it('takes packs by their headings, shown or not, and tells which are wrong', () => {
    const { lines, problems } = paste(
      '商品编码\t辅单位\t件数\t数量\n00124\t箱\t3\n00124\t箱\t\t24\n00124\t箱\t2\t30\n00124\t托\n00123\t\t2',
    );
    expect(lines.slice(0, 2).map(({ values }) => [values.pack_unit_id, values.pack_quantity, values.quantity])).toEqual(
      [
        [7, '3', '36'],
        [7, '2', '24'],
      ],
    );
    expect(problems.map(({ serial, msg }) => `${serial}${msg}`)).toEqual([
      '第3行件数×换算率与数量不符',
      '第4行该商品没有辅单位：托',
      '第5行“件数”该商品没有辅助单位',
    ]);
  });
  it('500 rows make 500 lines, and one look-up of distinct codes', () => {
    const text = Array.from({ length: 500 }, (_, i) => `${i % 2 ? 'MX205' : '00123'}\t${i + 1}\t10`).join('\n');
    const plan = planPaste(parseTsv(text), options());
    expect(listPastedCodes(plan, goods)).toEqual(['00123', 'MX205']);
    const { lines } = pasteLines([newLine(fields)], plan, options());
    expect(lines).toHaveLength(500);
    expect(lines[499]?.values).toMatchObject({ goods_id: 11, quantity: '500', amount: '5000.00' });
  });
  it('keeps the row of an unknown code and says which', () => {
    const { lines, problems } = paste('XX\t4\t450\nMX205\t-1\t450');
    expect(lines[0]).toMatchObject({
      values: { goods_id: null, goods_name: 'XX', quantity: '4' },
      problems: { goods_id: '未找到商品：XX' },
    });
    expect(problems).toEqual([
      { index: 1, serial: '第1行', field: '商品', msg: '未找到商品：XX' },
      { index: 2, serial: '第2行', field: '数量', msg: '“数量”请输入大于0的数' },
    ]);
  });
  it('pastes into the middle without touching the goods', () => {
    const before = paste('MX205\t4\t450\n00123\t10\t12.5').lines;
    const col = options().columns.findIndex((one) => one.name === 'quantity');
    const { lines } = paste('7\t400\n8\t11', before, 0, col);
    expect(lines.map((line) => line.values)).toMatchObject([
      { goods_id: 11, quantity: '7', price: '400' },
      { goods_id: 12, quantity: '8', price: '11' },
    ]);
  });
});
