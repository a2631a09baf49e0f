import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildBillScreen } from '@/engine/fixtures';
import {
  findButton,
  stubElementSizes,
  okAnswer,
  pageAnswer,
  pressButton,
  renderPage,
  type FakeRoutes,
} from '@/engine/harness';
import PrintDesignPage from './PrintDesignPage';
import PrintSettingPage from './PrintSettingPage';

const api = 'v2/system/PrintSetup';
const action = (name: string) => ({
  name,
  label: name,
  scope: 'batch' as const,
  from: null,
  confirm: null,
  reason: false,
  danger: false,
});
const routes = { list: '/system/printsetting', see: '/system/customPrint' };
const description = {
  ...buildBillScreen(),
  name: 'print_template',
  label: '打印设置',
  api,
  routes,
  actions: [action('setup'), action('del')],
};
const choice = (name: string, label: string) => ({ name, label, is_number: false, is_cost: false, width: 20 });
const definition = {
  bill_type: 'sales_outbound',
  api: 'v2/sales/SalesOutstock',
  label: '销售出库',
  print_template_id: 0,
  template_name: '',
  company_id: null,
  company_name: null,
  is_default: false,
  editable: true,
  papers: [
    { value: '241x140', label: '241×140 连续纸', width: 241, height: 140 },
    { value: 'A4', label: 'A4', width: 210, height: 297 },
  ],
  fields: [choice('bill_no', '单据号'), choice('customer_id', '客户')],
  blocks: [
    {
      name: 'lines',
      label: '商品明细',
      fields: [choice('goods_id', '商品'), choice('quantity', '数量'), choice('remark', '行备注')],
    },
  ],
  layout: {
    paper: '241x140',
    width: 210,
    height: 140,
    landscape: false,
    margin: { top: 8, right: 10, bottom: 6, left: 10 },
    font_size: 9,
    company: '',
    title: '',
    heading: ['bill_no', 'customer_id'],
    heading_columns: 3,
    heading_each: true,
    columns: {
      lines: [
        { name: 'goods_id', width: 48, label: '' },
        { name: 'quantity', width: 18, label: '' },
      ],
    },
    prices: true,
    skip_empty: true,
    subtotals: true,
    totals: true,
    capitals: true,
    signatures: [],
    remark: '',
    copies: 1,
  },
};
const base: FakeRoutes = {
  [`${api}/getPrintDefinedInfo`]: () => okAnswer(definition),
  [`${api}/preview`]: () => okAnswer({ html: '<p>纸</p>', shown: 1, pages: 1, id: 1, bill_no: 'XSCK1' }),
  'v2/sales/SalesOutstock/getList': () => pageAnswer([{ bill_id: 1, bill_no: 'XSCK1' }]),
};

let view: ReturnType<typeof renderPage>;
const sentCalls = (path: string) => view.calls.filter((call) => call.path === path);
const lastLayout = () => sentCalls(`${api}/preview`).at(-1)?.body.layout as typeof definition.layout;

beforeEach(stubElementSizes);
afterEach(() => view.done());

describe('the editor of a print template', () => {
  const open = async () => {
    view = renderPage(<PrintDesignPage screen={description} params={{ bill_type: 'sales_outbound' }} />, {
      ...base,
      [`${api}/addPrint`]: () => okAnswer({ print_template_id: 5 }),
    });
    await waitFor(() => expect(document.querySelector('iframe')?.getAttribute('srcdoc')).toBe('<p>纸</p>'), {
      timeout: 5000,
    });
  };

  it('tries what is chosen on a bill, in the order chosen', async () => {
    await open();
    fireEvent.click(screen.getByText('行备注'));
    await waitFor(() =>
      expect(lastLayout().columns.lines.map((column) => column.name)).toEqual(['goods_id', 'quantity', 'remark']),
    );
    fireEvent.click(screen.getAllByLabelText('下移')[0]!);
    await waitFor(() =>
      expect(lastLayout().columns.lines.map((column) => column.name)).toEqual(['quantity', 'goods_id', 'remark']),
    );
  });

  it('saves the template and goes back to the settings', async () => {
    await open();
    fireEvent.change(screen.getByLabelText('模板名称'), { target: { value: '送货单' } });
    await pressButton('保存');
    await waitFor(() =>
      expect(view.tabs.open).toHaveBeenCalledWith('/system/printsetting', '打印设置', { keepAlive: true }),
    );
    expect(sentCalls(`${api}/addPrint`)[0]?.body).toMatchObject({
      print_template_id: null,
      template_name: '送货单',
      company_id: null,
      is_default: true,
    });
  });
});

describe('print settings', () => {
  const template = {
    print_template_id: 5,
    template_name: '送货单',
    company_id: 2,
    company_name: '华东公司',
    is_default: false,
    paper: 'A4',
    saved_at: '2026-01-01 00:00:00',
    editable: true,
  };
  const open = async () => {
    view = renderPage(<PrintSettingPage screen={description} params={{}} />, {
      [`${api}/getPrintList`]: () =>
        okAnswer([{ bill_type: 'sales_outbound', label: '销售出库', menu: '销售管理', templates: [template] }]),
      [`${api}/setDefault`]: () => okAnswer({ print_template_id: 5 }),
    });
    await screen.findByText('送货单');
  };

  it('makes a template the default', async () => {
    await open();
    await pressButton('设为默认');
    await waitFor(() => expect(sentCalls(`${api}/setDefault`)[0]?.body).toEqual({ print_template_id: 5 }));
  });

  it('keeps in this browser what is printed once audited', async () => {
    await open();
    fireEvent.click(screen.getByLabelText('销售出库审核后打印'));
    expect(localStorage.getItem('u7:autoPrint')).toBe('["sales_outbound"]');
    expect(findButton('新建模板')).toBeTruthy();
  });
});
