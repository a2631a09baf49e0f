import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildField, goodsLineFields as fields, pricing } from '../fixtures';
import { stubElementSizes, okAnswer, pageAnswer, renderPage, type FakeRoutes } from '../harness';
import { createLineStore, type LineStore } from './lineStore';
import { LineTable } from './LineTable';

const goods = [
  {
    goods_id: 11,
    goods_num: 'MX205',
    goods_name: '米其林 205/55R16',
    barcode: '690001',
    tax_rate: '13',
    available_stocks: '40',
    last_price: '455',
    unit_price: '455',
  },
  {
    goods_id: 12,
    goods_num: 'LL215',
    goods_name: '玲珑 215/60R17',
    barcode: '690002',
    tax_rate: '13',
    available_stocks: '8',
    last_price: null,
    unit_price: '300',
  },
  {
    goods_id: 13,
    goods_num: 'JY4L',
    goods_name: '机油 4L',
    barcode: '690003',
    tax_rate: '13',
    available_stocks: '99',
    last_price: null,
    unit_price: '100',
    units: [{ unit_id: 7, unit_name: '箱', factor: '12', barcode: '690030' }],
  },
];
const codesOf = (row: (typeof goods)[number]) => [
  row.goods_num,
  row.barcode,
  ...(row.units ?? []).map((unit) => unit.barcode),
];
const routes: FakeRoutes = {
  'v2/inventory/Goods/getGoodsListPopup': ({ query }) => {
    const codes = query.codes?.split(',');
    const text = query.keyword ?? '';
    const match = (row: (typeof goods)[number]) =>
      codesOf(row)
        .concat(row.goods_name)
        .some((one) => one.includes(text));
    return pageAnswer(
      codes ? goods.filter((row) => codesOf(row).some((one) => codes.includes(one))) : goods.filter(match),
    );
  },
};

routes['v2/inventory/GoodsBatch/getBatchlist'] = () =>
  okAnswer([
    { batch_id: 7, batch: '0126', allocation_id: 1, available_stocks: '4' },
    { batch_id: 7, batch: '0126', allocation_id: 2, available_stocks: '2' },
    { batch_id: 8, batch: '0226', allocation_id: 1, available_stocks: '5' },
  ]);

let store: LineStore;
let view: ReturnType<typeof renderPage>;
const block = { name: 'lines', label: '商品明细', fields, required: true, source: null, takes_available: true };
const context = { bill: 'sales_outbound', header: () => ({ company_id: 2, warehouse_id: 5, customer_id: 9 }) };

const input = () => screen.getByLabelText<HTMLInputElement>(/^第\d+行 /);
const place = () => input().getAttribute('aria-label');
const values = () => store.get().map((line) => line.values);
const goTo = (name: string, row = 0) => {
  const cell = document.querySelectorAll(`[data-field="${name}"]`)[row];
  if (!cell) throw new Error(`no cell ${name} in row ${row}`);
  fireEvent.mouseDown(cell);
};

beforeEach(() => {
  stubElementSizes();
  store = createLineStore(fields, []);
  view = renderPage(<LineTable name="test" block={block} pricing={pricing} store={store} context={context} />, routes);
  act(() => input().focus());
});
afterEach(() => view.done());

describe('stock', () => {
  const stocked = (values: Record<string, unknown>) => ({
    key: `s${Math.random()}`,
    values: { goods_id: 11, available_stocks: '40', ...values },
    problems: {},
    refused: {},
  });
  const hints = () => [...document.querySelectorAll('.stock-hint')].map((one) => one.textContent);

  it('hints where all lines of a goods together ask for more than there is, and lets it be', () => {
    act(() => store.set(() => [stocked({ quantity: '30' }), stocked({ quantity: '10' })]));
    expect(hints()).toEqual([]);
    act(() => store.update(1, (line) => ({ ...line, values: { ...line.values, quantity: '10.5' } })));
    expect(hints()).toEqual(['不足', '不足']);
    expect(document.querySelector('[data-field=quantity]')?.getAttribute('title')).toContain('超过可用库存');
    expect(values()[1]?.quantity).toBe('10.5');
  });
  it('counts what the order of a line has reserved for it alone', () => {
    const own = { available_stocks: '6', held_stocks: '6', order_line_id: 71 };
    act(() => store.set(() => [stocked({ ...own, quantity: '4' }), stocked({ ...own, quantity: '2' })]));
    expect(hints()).toEqual([]);
    act(() => store.set((lines) => [...lines, stocked({ available_stocks: '0', quantity: '1' })]));
    expect(hints()).toEqual(['不足', '不足', '不足']);
    act(() => store.set(() => [stocked({ ...own, quantity: '7' })]));
    expect(hints()).toEqual(['不足']);
  });
  it('hints where less than the safety stock would be left', () => {
    act(() => store.set(() => [stocked({ quantity: '30', safety_stock: '10' })]));
    expect(hints()).toEqual([]);
    act(() => store.update(0, (line) => ({ ...line, values: { ...line.values, quantity: '31' } })));
    expect(hints()).toEqual(['偏低']);
    expect(document.querySelector('[data-field=available_stocks]')?.getAttribute('title')).toContain(
      '低于该仓库的安全库存',
    );
    act(() => store.update(0, (line) => ({ ...line, values: { ...line.values, quantity: '41' } })));
    expect(hints()).toEqual(['不足']);
  });
  it('a batch is one of those that the warehouse has, with how much of it', async () => {
    act(() => store.set(() => [stocked({ quantity: '1', order_line_id: 71 })]));
    goTo('batch_id');
    await userEvent.keyboard('{F2}');
    const options = await screen.findAllByRole('option');
    expect(options.map((one) => one.textContent)).toEqual(['0126 可用 6', '0226 可用 5']);
    expect(view.calls.at(-1)).toMatchObject({
      path: 'v2/inventory/GoodsBatch/getBatchlist',
      query: { goods_id: '11', warehouse_id: '5', order_line_id: '71' },
    });
    fireEvent.click(options[1]!);
    expect(values()[0]).toMatchObject({ batch_id: 8, batch: '0226' });
  });
});

describe('batch', () => {
  it('is marked where the goods that come in are kept by batches', () => {
    view.done();
    const comes = [...fields, buildField({ name: 'batch', label: '批次(DOT)' })];
    store = createLineStore(
      comes,
      [true, false].map((is_batch, at) => ({
        key: `b${at}`,
        values: { goods_id: 11 + at, is_batch },
        problems: {},
        refused: {},
      })),
    );
    view = renderPage(
      <LineTable name="test" block={{ ...block, fields: comes }} pricing={pricing} store={store} context={context} />,
      routes,
    );
    const marked = () =>
      [...document.querySelectorAll('.grid-body [data-field=batch]')].map((one) => one.getAttribute('aria-required'));
    expect(marked()).toEqual(['true', null]);
  });
});

describe('keyboard', () => {
  it('code, Enter, quantity, Enter, price … makes lines without a mouse', async () => {
    const user = userEvent.setup();
    await user.keyboard('MX205{Enter}');
    await waitFor(() => expect(values()[0]).toMatchObject({ goods_id: 11, quantity: '1', price: '455' }));
    await waitFor(() => expect(place()).toBe('第1行 数量'));
    await user.keyboard('4{Enter}450{Enter}{Enter}{Enter}{Enter}');
    expect(values()[0]).toMatchObject({ quantity: '4', price: '450', amount: '1800.00' });
    expect(place()).toBe('第2行 商品');
    expect(document.activeElement).toBe(input());
  });
  it('Enter on an empty last line adds no further one', async () => {
    await userEvent.keyboard('{Enter}{Enter}{Enter}{Enter}{Enter}{Enter}{Enter}');
    expect(values()).toHaveLength(1);
  });
  it('asks for goods with the warehouse and partner of the bill', async () => {
    await userEvent.keyboard('MX205{Enter}');
    await waitFor(() => expect(view.calls).not.toHaveLength(0));
    expect(view.calls[0]?.query).toMatchObject({
      keyword: 'MX205',
      warehouse_id: '5',
      customer_id: '9',
      bill_type: 'sales_outbound',
    });
  });
  it('Escape gives up, F2 goes on from the value, Delete empties, Ctrl+D copies above', async () => {
    act(() => store.set(() => [fill('4'), fill('7')]));
    goTo('quantity');
    await userEvent.keyboard('9{Escape}');
    expect(values()[0]?.quantity).toBe('4');
    await userEvent.keyboard('{F2}5{Enter}');
    expect(values()[0]?.quantity).toBe('45');
    goTo('quantity', 1);
    await userEvent.keyboard('{Control>}d{/Control}');
    expect(values()[1]?.quantity).toBe('45');
    await userEvent.keyboard('{Delete}');
    expect(values()[1]?.quantity).toBe('');
  });
  it('Alt with a digit picks goods, or goes to the quantity, price or discount of the line', async () => {
    act(() => store.set(() => [fill('4')]));
    goTo('remark');
    await userEvent.keyboard('加急{Alt>}2{/Alt}');
    expect([place(), values()[0]?.remark]).toEqual(['第1行 数量', '加急']);
    await userEvent.keyboard('6{Alt>}3{/Alt}');
    expect([place(), values()[0]?.quantity]).toEqual(['第1行 单价', '6']);
    await userEvent.keyboard('{Alt>}4{/Alt}');
    expect(place()).toBe('第1行 优惠金额');
    await userEvent.keyboard('{Alt>}1{/Alt}');
    expect(await screen.findByText('只看有货')).toBeTruthy();
  });
  it('arrows end typing and move; typing into a read-only cell does nothing', async () => {
    act(() => store.set(() => [fill('4'), fill('7')]));
    goTo('quantity');
    await userEvent.keyboard('6{ArrowDown}');
    expect(values()[0]?.quantity).toBe('6');
    expect(place()).toBe('第2行 数量');
    goTo('goods_num', 1);
    await userEvent.keyboard('x{Enter}');
    expect(values()[1]?.goods_num).toBeUndefined();
  });
  it('refuses what the rules refuse and says so', async () => {
    act(() => store.set(() => [fill('4')]));
    goTo('quantity');
    await userEvent.keyboard('-4{Enter}');
    expect(view.told.at(-1)).toMatchObject({ level: 'warning', msg: '“数量”请输入大于0的数' });
    expect(place()).toBe('第1行 数量');
  });
});

describe('input method', () => {
  it('keeps the first letter and its Enter commits nothing', () => {
    goTo('remark');
    const cell = input();
    fireEvent.compositionStart(cell);
    fireEvent.change(cell, { target: { value: 'j' } });
    expect(cell.value).toBe('j');
    expect(cell).toBe(document.activeElement);
    fireEvent.keyDown(cell, { key: 'Enter', code: 'Enter', keyCode: 229, isComposing: true });
    expect(place()).toBe('第1行 备注');
    fireEvent.change(cell, { target: { value: '加急' } });
    fireEvent.compositionEnd(cell, { data: '加急' });
    fireEvent.keyDown(cell, { key: 'Enter', code: 'Enter', keyCode: 13 });
    expect(values()[0]?.remark).toBe('加急');
  });
});

describe('paste', () => {
  it('500 rows make 500 lines with one call', async () => {
    const text = Array.from({ length: 500 }, (_, i) => `${i % 2 ? 'MX205' : 'LL215'}\t${i + 1}\t10`).join('\n');
    fireEvent.paste(input(), { clipboardData: { getData: () => text } });
    await waitFor(() => expect(values()).toHaveLength(500));
    expect(values()[499]).toMatchObject({ goods_id: 11, quantity: '500', price: '10', amount: '5000.00' });
    expect(view.calls.map((call) => call.query.codes)).toEqual(['LL215,MX205']);
    expect(document.querySelectorAll('.grid-body .grid-row').length).toBeLessThan(60);
    expect(document.querySelector('[data-sum=quantity]')?.textContent).toBe('125,250');
  });
  it('tells what the lines come to above them, where it is in sight whatever the screen', async () => {
    fireEvent.paste(input(), { clipboardData: { getData: () => 'MX205\t1\t1000\nLL215\t2\t250.5' } });
    expect(await screen.findByText('金额合计 1,501.00')).toBeTruthy();
  });
  it('tells unknown codes in the failure table', async () => {
    fireEvent.paste(input(), { clipboardData: { getData: () => 'XX\t1\nMX205\t2' } });
    await waitFor(() =>
      expect(view.told.at(-1)?.failures).toEqual([{ index: 1, serial: '第1行', field: '商品', msg: '未找到商品：XX' }]),
    );
    expect(values()).toHaveLength(2);
  });
});

describe('scan', () => {
  it('into the scan field: keeps focus and order, a repeated code adds one', async () => {
    const user = userEvent.setup();
    const scan = screen.getByLabelText('扫码');
    await user.click(scan);
    await user.keyboard('690001{Enter}690002{Enter}690001{Enter}');
    await waitFor(() =>
      expect(values().map((one) => [one.goods_id, one.quantity])).toEqual([
        [11, '2'],
        [12, '1'],
      ]),
    );
    expect(values()[1]).toMatchObject({ price: '300' });
    expect(document.activeElement).toBe(scan);
  });
  it('adds up without prices as well, say what goes from one warehouse to another', async () => {
    view.done();
    const moved = fields.filter(({ name }) => ['goods_id', 'goods_num', 'quantity', 'remark'].includes(name));
    store = createLineStore(moved, []);
    view = renderPage(
      <LineTable name="moved" block={{ ...block, fields: moved }} pricing={null} store={store} context={context} />,
      routes,
    );
    await userEvent.type(screen.getByLabelText('扫码'), '690001{Enter}690002{Enter}690001{Enter}');
    await waitFor(() =>
      expect(values().map((one) => [one.goods_id, one.quantity])).toEqual([
        [11, '2'],
        [12, '1'],
      ]),
    );
  });
  it('takes nothing of a code that two goods have, and says which', async () => {
    const user = userEvent.setup();
    const twin = { ...goods[0]!, goods_id: 14, goods_num: 'MX-TWIN' };
    goods.push(twin);
    await user.type(screen.getByLabelText('扫码'), '690001{Enter}');
    await waitFor(() => expect(view.told.at(-1)?.msg).toBe('690001 是多个商品的条码：MX205、MX-TWIN，请在商品栏选择'));
    goods.pop();
    expect(values().some((one) => one.goods_id)).toBe(false);
  });
  it('takes the Enter that an input method swallows', async () => {
    const scan = screen.getByLabelText<HTMLInputElement>('扫码');
    fireEvent.compositionStart(scan);
    fireEvent.change(scan, { target: { value: 'MX205' } });
    fireEvent.keyDown(scan, { key: 'Process', code: 'Enter', keyCode: 229, isComposing: true });
    fireEvent.compositionEnd(scan, { data: 'MX205' });
    await waitFor(() => expect(values()[0]?.goods_id).toBe(11));
  });
  it('into the grid: barcodes go down line by line', async () => {
    const user = userEvent.setup();
    await user.keyboard('690001{Enter}');
    await waitFor(() => expect(place()).toBe('第2行 商品'));
    await user.keyboard('690001{Enter}');
    await waitFor(() => expect(values()[0]?.quantity).toBe('2'));
    expect(place()).toBe('第2行 商品');
  });
});

describe('packs', () => {
  const header = () => screen.getAllByRole('columnheader').map((one) => one.textContent);
  const packs = (row = 0) => [
    values()[row]?.pack_unit_name,
    values()[row]?.pack_quantity,
    values()[row]?.quantity,
    values()[row]?.amount,
  ];

  it('their columns show with the first goods that have some; Enter passes them on lines that have none', async () => {
    const user = userEvent.setup();
    expect(header()).not.toContain('件数');
    await user.keyboard('JY4L{Enter}');
    await waitFor(() => expect(place()).toBe('第1行 件数'));
    await user.keyboard('3{Enter}');
    expect(packs()).toEqual(['箱', '3', '36', '3600.00']);
    expect(place()).toBe('第1行 数量');
    await user.keyboard('30{Enter}');
    expect(packs()).toEqual(['箱', '2.5', '30', '3000.00']);
    goTo('goods_id');
    act(() => store.ensureLine(1));
    goTo('goods_id', 1);
    await user.keyboard('MX205{Enter}');
    await waitFor(() => expect(place()).toBe('第2行 数量'));
  });
  it('a quantity that is no number of packs goes without', async () => {
    const user = userEvent.setup();
    await user.keyboard('JY4L{Enter}');
    await waitFor(() => expect(place()).toBe('第1行 件数'));
    await user.keyboard('3{Enter}13{Enter}');
    expect(packs()).toEqual([null, '', '13', '1300.00']);
    goTo('pack_quantity');
    await user.keyboard('1{Enter}');
    expect(packs()).toEqual(['箱', '1', '12', '1200.00']);
    goTo('pack_quantity');
    await user.keyboard('{Delete}');
    expect(packs()).toEqual([null, '', '12', '1200.00']);
  });
  it('the unit is one of the goods own', async () => {
    const user = userEvent.setup();
    await user.keyboard('JY4L{Enter}');
    await waitFor(() => expect(place()).toBe('第1行 件数'));
    await user.keyboard('{Enter}24{Enter}');
    goTo('pack_unit_id');
    await user.keyboard('{F2}');
    const options = await screen.findAllByRole('option');
    expect(options.map((one) => one.textContent)).toEqual(['箱=12']);
    fireEvent.click(options[0]!);
    expect(packs()).toEqual(['箱', '2', '24', '2400.00']);
  });
  it('a scanned one adds what it holds', async () => {
    const user = userEvent.setup();
    await user.type(screen.getByLabelText('扫码'), '690030{Enter}');
    await waitFor(() => expect(packs()).toEqual(['箱', '1', '12', '1200.00']));
    await user.type(screen.getByLabelText('扫码'), '690030{Enter}');
    await waitFor(() => expect(packs()).toEqual(['箱', '2', '24', '2400.00']));
    await user.type(screen.getByLabelText('扫码'), '690003{Enter}');
    await waitFor(() => expect(packs()).toEqual([null, '', '25', '2500.00']));
  });
});

describe('accessibility', () => {
  it('is a grid whose rows and cells are numbered', () => {
    const grid = screen.getByRole('grid', { name: '商品明细' });
    expect(grid.getAttribute('aria-rowcount')).toBe('3');
    expect(screen.getAllByRole('columnheader').length).toBe(Number(grid.getAttribute('aria-colcount')));
    expect(screen.getAllByRole('gridcell', { selected: true })).toHaveLength(1);
  });
});

function fill(quantity: string) {
  return {
    key: `k${quantity}`,
    values: { goods_id: 11, goods_name: '米其林', quantity, price: '10', tax_rate: '13' },
    problems: {},
    refused: {},
  };
}
