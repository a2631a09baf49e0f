import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildBillScreen, buildField, goodsLineFields } from '../fixtures';
import {
  findButton,
  stubElementSizes,
  okAnswer,
  pageAnswer,
  pressButton,
  renderPage,
  type FakeRoutes,
} from '../harness';
import { rememberNeighbours } from '../list/listState';
import DetailPage from './DetailPage';

const cost = buildField({
  name: 'cost_amount',
  label: '成本金额',
  type: 'money',
  form: false,
  readonly: true,
  total: true,
});
const lines = { name: 'lines', label: '商品明细', fields: [...goodsLineFields, cost], required: true, source: null };
const description = buildBillScreen({
  kind: 'see',
  line: lines,
  blocks: [lines],
  follow_ups: [{ label: '生成销售退货', route: '/sales/salesReturnAdd', api: 'v2/sales/SalesReturn' }],
});
const { api } = description;
const bill = (status: number) => ({
  bill_id: 8,
  bill_no: 'XSCK8',
  status,
  company_id: 2,
  company_name: '华东公司',
  customer_name: '上海顺达',
  total_amount: '1800.00',
  lines: [
    {
      line_id: 1,
      goods_id: 11,
      goods_name: '米其林 205/55R16',
      quantity: '4',
      price: '450',
      amount: '1800.00',
      cost_amount: '1431.86',
    },
  ],
});
const log = [
  {
    log_id: 2,
    action: 'edit',
    action_name: '修改',
    user_name: '张三',
    imitator_name: '接口令牌：官网',
    reason: null,
    at: '2026-11-02 09:00:00',
    before: { remark: '旧' },
    after: { remark: '新' },
  },
];

let view: ReturnType<typeof renderPage>;
const open = async (status: number, routes: FakeRoutes = {}) => {
  const base: FakeRoutes = { [`${api}/getInfo`]: () => okAnswer(bill(status)), [`${api}/getLog`]: () => okAnswer(log) };
  view = renderPage(<DetailPage screen={description} id={8} />, { ...base, ...routes });
  await waitFor(() => expect(document.querySelector('.block-table')).not.toBeNull());
};

beforeEach(stubElementSizes);
afterEach(() => view.done());

describe('a record', () => {
  it('of more rows than it shows leads to all of them and adds up none', async () => {
    const drill = { label: '对账单明细', route: '/custom/x', by: { bill_no: 'bill_no' }, route_field: '' };
    const cut = { ...description, drill, blocks: [{ ...lines, shown: 1 }] };
    view = renderPage(<DetailPage screen={cut} id={8} />, {
      [`${api}/getInfo`]: () => okAnswer(bill(1)),
      [`${api}/getLog`]: () => okAnswer(log),
    });
    fireEvent.click(await screen.findByText(/全部见对账单明细/));
    expect(view.tabs.open).toHaveBeenCalledWith('/custom/x?bill_no=XSCK8', '对账单明细');
    expect(document.querySelector('.block-table')?.textContent).not.toContain('合计');
  });
  it('shows its log with what changed', async () => {
    await open(1);
    expect(await screen.findByText('备注：旧 → 新')).toBeTruthy();
    expect(document.querySelector('.log-entry')?.textContent).toContain('张三（接口令牌：官网） 修改');
  });
  it('offers what its status allows', async () => {
    await open(1);
    expect([findButton('审核'), findButton('修改'), findButton('删除')].every(Boolean)).toBe(true);
    expect(findButton('生成销售退货')).toBeUndefined();
    view.unmount();
    await open(2);
    expect([findButton('审核'), findButton('修改'), findButton('删除')]).toEqual([undefined, undefined, undefined]);
    await pressButton('生成销售退货');
    expect(view.tabs.open).toHaveBeenCalledWith('/sales/salesReturnAdd?from=8', '新增销售退货');
  });
  it('leads to the bills behind it and shows what it wrote, naming those that one may not open', async () => {
    const columns = ['bill_no', 'amount'].map((name) =>
      buildField({ name, label: name, type: name === 'amount' ? 'money' : 'text' }),
    );
    const block = {
      name: 'settlement_entry_effect',
      label: '往来流水',
      fields: columns,
      required: false,
      source: null,
    };
    const rows = [
      { effect_id: 1, bill_no: 'KHSK7', amount: '-20.00', route: '/custom/customerreceiptSee?id=7' },
      { effect_id: 2, bill_no: 'YSCK3', amount: '-5.00', route: null },
    ];
    await open(2, { 'v2/open/BillEffect/getEffects': () => okAnswer([{ block, rows, more: true }]) });
    await pressButton('关联与流水');
    const receipt = await screen.findByText('KHSK7');
    expect(screen.getByText('YSCK3').closest('a')).toBeNull();
    expect(screen.getByText('只显示前 2 行，其余请在对应的流水查询中查看')).toBeTruthy();
    fireEvent.click(receipt);
    expect(view.tabs.open).toHaveBeenCalledWith('/custom/customerreceiptSee?id=7', 'KHSK7');
  });
  it('leads from the bills that its lines name to them, and tells of those that one may not see', async () => {
    const marked = {
      ...lines,
      fields: [...goodsLineFields, buildField({ name: 'source_no', label: '来源单号', form: false, bill: true })],
    };
    const row = {
      ...bill(2),
      lines: [
        { line_id: 1, source_no: 'XSDD2、XSDD3' },
        { line_id: 2, source_no: 'XSDD4' },
        { line_id: 3, source_no: 'CGRK5' },
      ],
    };
    view = renderPage(<DetailPage screen={{ ...description, blocks: [marked] }} id={8} />, {
      [`${api}/getInfo`]: () => okAnswer(row),
      'v2/open/BillAddress/getPrefixes': () => okAnswer(['XSDD']),
      'v2/open/BillAddress/getAddress': ({ query }) =>
        query.bill_no === 'XSDD3'
          ? okAnswer({ route: '/sales/salesorderSee?id=3' })
          : { code: 400, msg: '单据XSDD4不存在或无权访问', data: null },
    });
    fireEvent.click(await screen.findByText('XSDD3'));
    await waitFor(() => expect(view.tabs.open).toHaveBeenCalledWith('/sales/salesorderSee?id=3', 'XSDD3'));
    await waitFor(() => expect(screen.getByText('CGRK5').closest('a')).toBeNull());
    fireEvent.click(screen.getByText('XSDD4'));
    await waitFor(() => expect(view.told.at(-1)?.msg).toBe('单据XSDD4不存在或无权访问'));
  });
  it('lists what stands in the way of a refused undo, each with the way there', async () => {
    const block = {
      name: 'related_bill',
      label: '上下游单据',
      fields: [buildField({ name: 'bill_no', label: '单据号' })],
      required: false,
      source: null,
    };
    await open(2, {
      [`${api}/antiAuditor`]: () => ({
        code: 400,
        msg: '该单据已有退货，不能反审核或作废，请先处理退货单',
        data: null,
      }),
      'v2/open/BillEffect/getEffects': () =>
        okAnswer([
          { block, rows: [{ effect_id: 1, bill_no: 'XSTH2', route: '/sales/salesReturnSee?id=2' }], more: false },
        ]),
    });
    await pressButton('反审核');
    expect(await screen.findByText('请先处理下面列出的后续单据')).toBeTruthy();
    fireEvent.click(await screen.findByText('XSTH2'));
    expect(view.tabs.open).toHaveBeenCalledWith('/sales/salesReturnSee?id=2', 'XSTH2');
  });
  it('shows what the server set as it will be printed, by the template chosen', async () => {
    const sheet = (html: string) =>
      okAnswer({ html, shown: 1, pages: 1, templates: [{ print_template_id: 4, template_name: '不含价格' }] });
    await open(2, {
      [`${api}/print`]: ({ body }) => sheet(body.print_template_id === 4 ? '<p>无价</p>' : '<p>有价</p>'),
    });
    await pressButton('打印');
    const frame = await screen.findByTitle('打印预览', undefined, { timeout: 5000 });
    await waitFor(() => expect(frame.getAttribute('srcdoc')).toBe('<p>有价</p>'), { timeout: 5000 });
    expect(frame.getAttribute('sandbox')).toBe('allow-same-origin allow-modals');
    fireEvent.mouseDown(document.querySelector('.ant-modal .ant-select-content, .ant-modal .ant-select-selector')!);
    fireEvent.click(await screen.findByText('不含价格'));
    await waitFor(() => expect(frame.getAttribute('srcdoc')).toBe('<p>无价</p>'), { timeout: 5000 });
    expect(view.calls.filter((call) => call.path === `${api}/print`).map((call) => call.body.ids)).toEqual([[8], [8]]);
  });
  it('has a bill too long to wait for printed as a task', async () => {
    const long = { code: 400, msg: '往来明细有6000行，请用“后台生成PDF”', data: { as_task: true } };
    await open(2, {
      [`${api}/print`]: () => long,
      [`${api}/printTask`]: () => okAnswer({ export_id: 1, file_name: '单据.pdf' }),
    });
    await pressButton('打印');
    fireEvent.click(await screen.findByRole('button', { name: /后台生成PDF/ }, { timeout: 5000 }));
    await waitFor(() => expect(document.querySelector('iframe')).toBeNull());
    expect(view.calls.find((call) => call.path === `${api}/printTask`)?.body).toEqual({
      ids: [8],
      print_template_id: null,
    });
  });
  it('opens the print preview once audited where this workplace wants it', async () => {
    localStorage.setItem('u7:autoPrint', '["sales_outbound"]');
    const printed = okAnswer({ html: '<p>单据</p>', shown: 1, pages: 1, templates: [] });
    await open(1, {
      [`${api}/auditorPass`]: () => okAnswer({ success: [8], failures: [] }),
      [`${api}/print`]: () => printed,
    });
    await pressButton('审核');
    await pressButton('确定');
    await waitFor(() => expect(document.querySelector('iframe')?.getAttribute('srcdoc')).toBe('<p>单据</p>'), {
      timeout: 5000,
    });
  });
  it('prints an own bill only once audited where the company wants it', async () => {
    localStorage.setItem('hasAuditorStatusPrint', '["sales_outbound"]');
    await open(1);
    await pressButton('打印');
    await waitFor(() => expect(view.told.at(-1)?.msg).toBe('只打印已审核的单据，所选有1张未审核'));
    expect(view.calls.some((call) => call.path === `${api}/print`)).toBe(false);
  });
  it('says at the audit button what the company has the audit mind', async () => {
    localStorage.setItem('FDBName_business', '华东公司');
    localStorage.setItem('Documents_operation', '{"sales_outbound":{"price_mode":1,"overdue_mode":0,"credit_mode":2}}');
    await open(1);
    await waitFor(() =>
      expect(findButton('审核')?.title).toBe(
        '华东公司单据设置：低于最低售价或高于采购价：禁止审核；客户超信用额度：提示后可继续',
      ),
    );
  });
  it('makes a label of each piece', async () => {
    const labels = 'v2/system/GoodsLabel/print';
    await open(2, { [labels]: () => okAnswer({ html: '<p>标签</p>', shown: 4, pages: 4 }) });
    await pressButton('商品标签');
    await waitFor(() =>
      expect(view.calls.find((call) => call.path === labels)?.body.items).toEqual([{ goods_id: 11, copies: 4 }]),
    );
  });
});

describe('previous and next', () => {
  const rows = (...ids: number[]) => ids.map((bill_id) => ({ bill_id }));
  it('follow the list the record was opened from, past the edge of its page', async () => {
    rememberNeighbours(description, { page: 1, per_page: 2 }, rows(9, 8));
    const second = { data: rows(7, 6), total: 4, current_page: 2, per_page: 2, last_page: 2 };
    await open(2, {
      [`${api}/getList`]: ({ query }) => (query.page === '2' ? okAnswer(second) : pageAnswer(rows(9, 8))),
    });
    expect(findButton('上一条')?.disabled).toBe(false);
    await waitFor(() => expect(findButton('下一条')?.disabled).toBe(false));
  });
  it('are off for a record opened by its address', async () => {
    await open(2);
    expect([findButton('上一条')?.disabled, findButton('下一条')?.disabled]).toEqual([true, true]);
  });
});
