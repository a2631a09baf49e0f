import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setSession } from '../../lib/api';
import { today } from '../../lib/businessClock';
import { buildBillScreen, buildField, buildRefField } from '../fixtures';
import {
  findButton,
  stubElementSizes,
  okAnswer,
  pageAnswer,
  pressButton,
  renderPage,
  type FakeRoutes,
} from '../harness';
import type { Block } from '../types';
import FormPage from './FormPage';

const tyre = {
  goods_id: 11,
  goods_num: 'MX205',
  goods_name: '米其林 205/55R16',
  barcode: '690001',
  tax_rate: '13',
  available_stocks: '40',
  last_price: '455',
  unit_price: '455',
};
const stored = {
  bill_id: 8,
  bill_no: 'XSCK8',
  revision: 3,
  status: 1,
  business_date: '2026-11-01',
  customer_id: 9,
  customer_name: '上海顺达',
  warehouse_id: 5,
  warehouse_name: '中心仓',
  remark: '旧备注',
  lines: [
    {
      line_id: 1,
      line_no: 1,
      goods_id: 11,
      goods_name: tyre.goods_name,
      goods_num: 'MX205',
      quantity: '4',
      price: '450',
      tax_rate: '13',
      amount: '1800.00',
    },
  ],
};
const description = buildBillScreen({ kind: 'add' });
const add = `${description.api}/add`;
const base: FakeRoutes = {
  'v2/inventory/Goods/getGoodsListPopup': () => pageAnswer([tyre]),
  [`${description.api}/getInfo`]: () => okAnswer(stored),
  [add]: () => okAnswer({ id: 21, bill_no: 'XSCK21' }),
  [`${description.api}/edit`]: () => okAnswer({ id: 8 }),
  [`${description.api}/auditorPass`]: () => okAnswer({ success: [21], failures: [] }),
};

let view: ReturnType<typeof renderPage>;
const open = (routes: FakeRoutes = {}, props: Partial<Parameters<typeof FormPage>[0]> = {}, marks = {}) => {
  view = renderPage(<FormPage screen={{ ...description, ...marks }} id={null} copyOf={null} from={null} {...props} />, {
    ...base,
    ...routes,
  });
};
const sentCalls = (path: string) => view.calls.filter((call) => call.path === path);
const save = () => fireEvent.keyDown(window, { key: 's', ctrlKey: true });
const cell = () => screen.getByLabelText<HTMLInputElement>(/^第\d+行 /);
const keyIn = async () => {
  act(() => cell().focus());
  await userEvent.keyboard('MX205{Enter}');
  await screen.findByText('455.00', { selector: '[data-field=last_price]' });
};

beforeEach(stubElementSizes);
afterEach(() => view.done());

describe('a new bill', () => {
  it('begins where the first thing has to be filled in, a copy in its lines', async () => {
    open();
    expect(document.activeElement).toBe(screen.getByRole('combobox', { name: '客户' }));
    view.done();
    open({}, { copyOf: 8 });
    await screen.findByText('4', { selector: '[data-field=quantity]' });
    expect(document.activeElement).toBe(cell());
  });

  it('Enter leads on from a list and is not typed into the long text behind it', () => {
    open();
    const goesOn = fireEvent.keyDown(screen.getByRole('combobox', { name: '仓库' }), { key: 'Enter' });
    expect(goesOn).toBe(false);
  });

  it('tells all mistakes of head and lines at once and sends nothing', async () => {
    open();
    act(() => cell().focus());
    await userEvent.keyboard('{Enter}');
    fireEvent.mouseDown(document.querySelector('[data-field=remark].grid-cell')!);
    await userEvent.keyboard('加急{Enter}');
    save();
    await waitFor(() =>
      expect(view.told.at(-1)?.failures.map((one) => `${one.serial} ${one.msg}`)).toEqual([
        '表头 请选择客户',
        '表头 请选择仓库',
        '第1行 请选择商品',
        '第1行 请输入数量',
      ]),
    );
    expect([view.told.at(-1)?.noneSucceeded, sentCalls(add).length]).toEqual([true, 0]);
    expect(screen.getByText('请选择客户', { selector: '.field-problem' })).toBeTruthy();
  });

  it('what was pasted and could not be read keeps the bill from being saved until the cell is filled in or emptied', async () => {
    open({}, { copyOf: 8 });
    await screen.findByText('4', { selector: '[data-field=quantity]' });
    fireEvent.mouseDown(screen.getByText('450.00', { selector: '[data-field=price]' }));
    fireEvent.paste(cell(), { clipboardData: { getData: () => '12,5\t0' } });
    await waitFor(() => expect(view.told.at(-1)?.failures.map((one) => one.msg)).toEqual(['“单价”请输入数字']));
    save();
    await waitFor(() => expect(view.told.at(-1)?.msg).toBe('第1行：“单价”请输入数字'));
    expect(sentCalls(add)).toHaveLength(0);
    fireEvent.keyDown(cell(), { key: 'Delete' });
    save();
    await waitFor(() => expect(sentCalls(add)).toHaveLength(1));
  });

  it('is sent once although saved twice, with a key', async () => {
    open({ [add]: () => new Promise((resolve) => setTimeout(() => resolve(okAnswer({ id: 21 })), 50)) }, { copyOf: 8 });
    await screen.findByText('4', { selector: '[data-field=quantity]' });
    save();
    save();
    await waitFor(() =>
      expect(view.tabs.open).toHaveBeenCalledWith('/sales/salesout/salesamend?id=21', '销售出库单详情'),
    );
    expect(sentCalls(add)).toHaveLength(1);
    expect(sentCalls(add)[0]?.key).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is not sent again while the next page is not yet there', async () => {
    open({}, { copyOf: 8 });
    await screen.findByText('4', { selector: '[data-field=quantity]' });
    save();
    await waitFor(() => expect(view.tabs.open).toHaveBeenCalled());
    save();
    await act(() => new Promise((resolve) => setTimeout(resolve, 100)));
    expect(sentCalls(add)).toHaveLength(1);
  });

  it('what is being typed into a cell counts when Ctrl+S comes', async () => {
    open({}, { copyOf: 8 });
    const quantity = await screen.findByText('4', { selector: '[data-field=quantity]' });
    fireEvent.mouseDown(quantity);
    await userEvent.keyboard('7{Control>}s{/Control}');
    await waitFor(() => expect(sentCalls(add)).toHaveLength(1));
    expect(sentCalls(add)[0]?.body.lines).toMatchObject([{ goods_id: 11, quantity: '7', price: '450' }]);
  });

  it('dated after today is asked about: Enter goes back to it, else it is saved as it stands', async () => {
    const edit = `${description.api}/edit`;
    open({ [`${description.api}/getInfo`]: () => okAnswer({ ...stored, business_date: '2099-11-01' }) }, { id: 8 });
    await screen.findByText('4', { selector: '[data-field=quantity]' });
    save();
    await screen.findByText(`业务日期 2099-11-01 晚于今天（${today()}），确定按此日期保存？`);
    await waitFor(() => expect(document.activeElement).toBe(findButton('返回修改')));
    await userEvent.keyboard('{Enter}');
    await screen.findByText('晚于今天', { selector: '.field-problem' });
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('业务日期')));
    expect(sentCalls(edit)).toHaveLength(0);
    save();
    await pressButton('仍然保存');
    await waitFor(() =>
      expect(sentCalls(edit)[0]?.body).toMatchObject({ business_date: '2099-11-01', confirmed: true }),
    );
  });

  it('marks what the server refuses, and keeps the form', async () => {
    const failures = [{ index: 1, serial: '第1行', msg: '“数量”超过可用库存' }];
    open({ [add]: () => ({ code: 400, msg: '库存不足', data: { failures } }) }, { copyOf: 8 });
    await screen.findByText('4', { selector: '[data-field=quantity]' });
    save();
    await waitFor(() => expect(view.told.at(-1)?.failures).toEqual(failures));
    expect(document.querySelector('[data-field=quantity].invalid')?.getAttribute('title')).toBe('“数量”超过可用库存');
  });

  it('that the server asks about is saved once the user goes on', async () => {
    const answer = (call: { body: Record<string, unknown> }) =>
      call.body.confirmed ? okAnswer({ id: 21 }) : { code: 363, msg: '疑似重复，是否继续？', data: null };
    open({ [add]: answer }, { copyOf: 8 });
    await screen.findByText('4', { selector: '[data-field=quantity]' });
    save();
    await pressButton('继续');
    await waitFor(() => expect(sentCalls(add).map((call) => call.body.confirmed)).toEqual([undefined, true]));
  });

  it('is saved and audited with one click', async () => {
    open({}, { copyOf: 8 });
    await screen.findByText('4', { selector: '[data-field=quantity]' });
    await pressButton('保存并审核');
    await waitFor(() => expect(sentCalls(`${description.api}/auditorPass`)[0]?.body).toMatchObject({ ids: [21] }));
  });

  it('tells what is to be known of it', () => {
    open({}, {}, { note: '多项促销不叠加' });
    expect(screen.getByText('多项促销不叠加')).toBeTruthy();
  });

  it('has no audit button for who may not audit', () => {
    open({}, {}, { actions: description.actions.filter((action) => action.name !== 'auditorPass') });
    expect(findButton('保存')).toBeTruthy();
    expect(findButton('保存并审核')).toBeUndefined();
  });
});

describe('a bill drawn from an order', () => {
  it('has at hand what that has reserved', async () => {
    const line = { ...stored.lines[0], line_id: undefined, order_line_id: 71 };
    const popup = 'v2/inventory/Goods/getGoodsListPopup';
    open(
      {
        [`${description.api}/getDraft`]: () => okAnswer({ ...stored, bill_id: undefined, lines: [line] }),
        [popup]: ({ query }) =>
          pageAnswer([{ ...tyre, available_stocks: '-2', held: query.order_line_ids === '71' ? { 71: '4' } : {} }]),
      },
      { from: 31 },
    );
    expect(await screen.findByText('4', { selector: '[data-field=available_stocks]' })).toBeTruthy();
    expect(document.querySelector('.stock-hint')).toBeNull();
    fireEvent.mouseDown(screen.getByText('4', { selector: '[data-field=quantity]' }));
    await userEvent.keyboard('5{Enter}');
    expect(document.querySelector('.stock-hint')?.textContent).toBe('不足');
  });
});

describe('a receipt', () => {
  const settled: Block = {
    name: 'write_offs',
    label: '核销明细',
    required: false,
    source: { api: 'v2/custom/CustomerReceipt/getOpenItems', by: ['customer_id'], takes: 'amount', drawn: false },
    fields: [
      buildField({ name: 'settlement_id', type: 'integer', hidden: true, list: false }),
      buildField({ name: 'bill_no', label: '单据号', form: false, readonly: true }),
      buildField({ name: 'amount', label: '本次核销', type: 'money', required: true, default: '0', total: true }),
    ],
  };
  const fields = [
    buildRefField('customer_id', '客户', 'customer', 'customer_name'),
    buildField({ name: 'amount', label: '金额', type: 'money', required: true, default: '0' }),
  ];
  const items = [500, 300].map((sum, at) => ({
    settlement_id: at + 1,
    bill_no: `XSCK${at}`,
    amount: `${sum}.00`,
    open_amount: `${sum}.00`,
  }));
  const choosing = async (amount: string) => {
    open(
      {
        'v2/custom/CustomerReceipt/getOpenItems': () => okAnswer({ data: items, more: false }),
        [`${description.api}/getDraft`]: () => okAnswer({ customer_id: 9, amount }),
      },
      { from: 1 },
      { fields, line: null, blocks: [settled], pricing: null },
    );
    const opener = await screen.findByRole('button', { name: '选择核销明细' });
    opener.focus();
    await pressButton('选择核销明细');
    return screen.findByText('XSCK1').then(() => opener);
  };
  const receive = async (amount: string) => {
    await choosing(amount);
    await pressButton('全部核销').then(() => screen.findByText('核销 2 项，合计 800.00'));
    await pressButton('分配')
      .then(() => screen.findByText(/已选 800.00$/))
      .then(() => pressButton('确定'));
  };
  const typed = () => screen.getByLabelText<HTMLInputElement>('金额', { selector: 'input' });

  it('is of what was chosen to settle, as long as nobody types an amount', async () => {
    await receive('0');
    await waitFor(() => expect(typed().value).toBe('800.00'));
    expect(screen.getByText('按所选单据合计，可修改')).toBeTruthy();
    fireEvent.click(screen.getByLabelText('删除第2行'));
    await waitFor(() => expect(typed().value).toBe('500.00'));
    fireEvent.change(typed(), { target: { value: '600' } });
    fireEvent.blur(typed());
    expect(screen.queryByText('按所选单据合计，可修改')).toBeNull();
    fireEvent.click(screen.getByLabelText('删除第1行'));
    expect(typed().value).toBe('600.00');
  });
  it('begins in the first amount, of which what is typed is settled, and gives the keyboard back', async () => {
    const opener = await choosing('0');
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('XSCK0 本次核销')));
    await userEvent.keyboard('120');
    await pressButton('确定');
    await waitFor(() => expect([typed().value, document.activeElement]).toEqual(['120.00', opener]));
  });
  it('keeps the amount that was typed first', async () => {
    await receive('1000');
    await screen.findByText('XSCK1', { selector: '[data-field=bill_no]' });
    expect(typed().value).toBe('1000');
  });
});

describe('a record', () => {
  it('is written with the rows below it', async () => {
    const units: Block = {
      name: 'units',
      label: '辅助单位',
      required: false,
      source: null,
      fields: [
        buildRefField('unit_id', '辅单位', 'unit', 'unit_name', { required: true }),
        buildField({ name: 'factor', label: '换算率', type: 'quantity', required: true, rule: 'positive' }),
      ],
    };
    const goods = {
      goods_id: 5,
      goods_name: '机油',
      units: [{ line_id: 1, unit_id: 7, unit_name: '箱', factor: '12.000' }],
    };
    const fields = [buildField({ name: 'goods_name', label: '商品名称' })];
    const edit = `${description.api}/edit`;
    open(
      { [`${description.api}/getInfo`]: () => okAnswer(goods), [edit]: () => okAnswer({ id: 5 }) },
      { id: 5 },
      { family: 'resource', key: 'goods_id', fields, line: null, blocks: [units], pricing: null },
    );
    fireEvent.mouseDown(await screen.findByText('12', { selector: '[data-field=factor]' }));
    await userEvent.keyboard('10{Enter}');
    save();
    await waitFor(() => expect(sentCalls(edit)).toHaveLength(1));
    expect(sentCalls(edit)[0]?.body).toMatchObject({ id: 5, units: [{ unit_id: 7, factor: '10' }] });
  });
});

describe('a draft', () => {
  it('survives an error and a reload, and is recalled', async () => {
    open({ [add]: () => ({ code: 401, msg: '登录已过期', data: null }) });
    await keyIn();
    save();
    await waitFor(() => expect(localStorage.getItem('u7:draft:sales_outbound:new')).toContain('MX205'), {
      timeout: 3000,
    });
    view.unmount();
    open();
    await pressButton('恢复');
    expect(await screen.findByText('米其林 205/55R16', { selector: '[data-field=goods_id]' })).toBeTruthy();
  });
  it('belongs to who wrote it, although the login ended before it was kept', async () => {
    open();
    await keyIn();
    setSession(null);
    view.unmount();
    expect(localStorage.getItem('u7:draft:sales_outbound:new')).toContain('MX205');
    expect(localStorage.getItem('u0:draft:sales_outbound:new')).toBeNull();
  });
  it('is not made by merely looking at a bill', async () => {
    open({}, { id: 8 });
    await screen.findByText('40', { selector: '[data-field=available_stocks]' });
    view.unmount();
    expect(Object.keys(localStorage).filter((name) => name.includes('draft'))).toEqual([]);
  });
  it('of a bill that was saved since tells so, and takes the place of what was saved if it is recalled', async () => {
    open({}, { id: 8 });
    fireEvent.mouseDown(await screen.findByText('4', { selector: '[data-field=quantity]' }));
    await userEvent.keyboard('7{Enter}');
    view.unmount();
    open({ [`${description.api}/getInfo`]: () => okAnswer({ ...stored, revision: 4 }) }, { id: 8 });
    await screen.findByText(/此后已有人修改并保存/);
    await pressButton('恢复');
    await screen.findByText('7', { selector: '[data-field=quantity]' });
    save();
    await waitFor(() => expect(sentCalls(`${description.api}/edit`)[0]?.body).toMatchObject({ revision: 4 }));
  });
  it('waits for its answer while another is typed, and what a recall replaces waits in its turn', async () => {
    const remark = () =>
      document.querySelector<HTMLInputElement>(
        '.header-fields [data-field=remark] input, .header-fields [data-field=remark] textarea',
      )!;
    const type = (value: string) => fireEvent.change(remark(), { target: { value } });
    open({}, { copyOf: 8 });
    await waitFor(() => expect(remark()).toBeTruthy());
    type('第一份');
    view.unmount();
    open({}, { copyOf: 8 });
    await screen.findByText(/未保存的内容/);
    type('第二份');
    view.unmount();
    for (const word of ['第一份', '第二份'])
      expect(localStorage.getItem('u7:draft:sales_outbound:copy8')).toContain(word);
    open({}, { copyOf: 8 });
    await screen.findByText(/未保存的内容/);
    type('第三份');
    await pressButton('恢复');
    const recalled = remark().value;
    const typed = ['第一份', '第二份', '第三份'];
    expect(typed).toContain(recalled);
    await pressButton('恢复');
    const next = remark().value;
    await pressButton('恢复');
    expect(new Set([recalled, next, remark().value])).toEqual(new Set(typed));
    save();
    await waitFor(() => expect(sentCalls(add)).toHaveLength(1));
    view.unmount();
    expect(JSON.parse(localStorage.getItem('u7:draft:sales_outbound:copy8')!)).toHaveLength(2);
  });
  it('is gone once saved', async () => {
    open({}, { copyOf: 8 });
    await screen.findByText('4', { selector: '[data-field=quantity]' });
    save();
    await waitFor(() => expect(view.tabs.open).toHaveBeenCalled());
    view.unmount();
    expect(Object.keys(localStorage).filter((name) => name.includes('draft'))).toEqual([]);
  });
});

describe('a parked form', () => {
  const name = '暂存 2026-11-20 09:00:00';
  const values = {
    customer_id: 9,
    customer_name: '上海顺达',
    warehouse_id: 5,
    warehouse_name: '中心仓',
    remark: '等客户回电',
    lines: stored.lines,
  };
  const kept = {
    preference_id: 1,
    kind: 'draft',
    screen: 'sales_outbound',
    name,
    is_public: false,
    is_default: false,
    mine: true,
    owner_name: '张三',
    kept_at: '2026-11-20 09:00:00',
  };
  const parked: FakeRoutes = {
    'v2/open/UserPreference/get': ({ query }) =>
      okAnswer(
        query.kind === 'draft' && query.name !== 'new'
          ? [{ ...kept, value: query.name ? { at: '2026-11-20 09:00:00', values } : null }]
          : [],
      ),
    'v2/open/UserPreference/del': () => okAnswer(null),
  };
  const take = async () => {
    await waitFor(() => expect(findButton('取单')?.disabled).toBe(false));
    await pressButton('取单');
    fireEvent.click(await screen.findByText(name));
  };
  const remark = () =>
    document.querySelector<HTMLInputElement>(
      '.header-fields [data-field=remark] input, .header-fields [data-field=remark] textarea',
    )!;

  it('is not offered where none is', async () => {
    open({ 'v2/open/UserPreference/get': () => okAnswer([]) });
    await waitFor(() => expect(sentCalls('v2/open/UserPreference/get').length).toBeGreaterThan(1));
    expect([findButton('取单')?.disabled, findButton('取单')?.title]).toEqual([true, '没有暂存的单据']);
  });
  it('is taken up by a key', async () => {
    open(parked);
    await waitFor(() => expect(findButton('取单')?.disabled).toBe(false));
    fireEvent.keyDown(window, { code: 'Digit5', altKey: true });
    await waitFor(() => expect(remark().value).toBe('等客户回电'));
  });
  it('is taken up in a new form, kept by this browser from then on, and gone from the server', async () => {
    open(parked);
    await take();
    expect(await screen.findByText('4', { selector: '[data-field=quantity]' })).toBeTruthy();
    expect(remark().value).toBe('等客户回电');
    expect(sentCalls('v2/open/UserPreference/del')[0]?.body).toMatchObject({
      kind: 'draft',
      screen: 'sales_outbound',
      name,
    });
    view.unmount();
    expect(localStorage.getItem('u7:draft:sales_outbound:new')).toContain('等客户回电');
  });
  it('takes the place of what was typed only when that is agreed to', async () => {
    open(parked);
    fireEvent.change(remark(), { target: { value: '正在录入' } });
    await take();
    await screen.findAllByText('取单会替换当前录入的内容');
    expect(remark().value).toBe('正在录入');
    expect(sentCalls('v2/open/UserPreference/del')).toHaveLength(0);
    await pressButton('替换');
    await waitFor(() => expect(remark().value).toBe('等客户回电'));
  });
  it('leaves alone a form that came filled in from another bill', async () => {
    localStorage.setItem('u7:draft:sales_outbound:new', JSON.stringify({ at: '2026-11-20 09:00:00', values }));
    open(
      {
        ...parked,
        [`${description.api}/getDraft`]: () =>
          okAnswer({ customer_id: 9, customer_name: '上海顺达', remark: '来自订单', lines: [] }),
      },
      { from: 31 },
    );
    await waitFor(() => expect(remark()?.value).toBe('来自订单'));
    expect([findButton('暂存') !== undefined, findButton('取单'), findButton('恢复')]).toEqual([
      true,
      undefined,
      undefined,
    ]);
  });
});

describe('a stored bill', () => {
  it('is edited under its revision', async () => {
    open({}, { id: 8 });
    await screen.findByText('4', { selector: '[data-field=quantity]' });
    save();
    await waitFor(() =>
      expect(sentCalls(`${description.api}/edit`)[0]?.body).toMatchObject({ id: 8, revision: 3, remark: '旧备注' }),
    );
  });
  it('is copied without number, state and ids, under today', async () => {
    open({}, { copyOf: 8 });
    await screen.findByText('4', { selector: '[data-field=quantity]' });
    save();
    await waitFor(() => expect(sentCalls(add)).toHaveLength(1));
    const { body } = sentCalls(add)[0]!;
    expect(body).toMatchObject({ customer_id: 9, warehouse_id: 5 });
    expect(body.business_date).not.toBe('2026-11-01');
    for (const name of ['bill_no', 'status', 'revision', 'id']) expect(body).not.toHaveProperty(name);
  });
});
