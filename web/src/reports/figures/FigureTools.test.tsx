import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stubElementSizes, okAnswer, renderPage, type FakeRoutes } from '@/engine/harness';
// Brought in before a test waits for them.
import './AlertDialog';
import './CommentsDrawer';
import './ExplainDrawer';
import { FigureTools } from './FigureTools';

const EXPLANATION = {
  title: '营业收入',
  question: '这个月卖了多少？',
  refreshed_at: '2026-11-20 17:30:05',
  as_of: '2026-11-20',
  notices: [],
  chapters: [{ title: '按日期', blocks: ['- 月末归到月末'] }],
  figures: [
    {
      chart: '营业收入明细',
      name: 'return_share',
      label: '退货率',
      note: '',
      formula: 'Σ 退货收入 ÷ Σ 销售收入',
      said: [],
      sources: [
        {
          table_name: 'mart_operating_revenue',
          label: '营业收入',
          columns: [{ name: 'revenue', label: '收入，不含税' }],
          bills: ['销售出库'],
        },
      ],
      same_named: [{ title: '采购分析', reason: '一个是销售的，一个是采购的' }],
    },
    {
      chart: '主要数字',
      name: 'revenue',
      label: '营业收入',
      note: '不含税',
      formula: 'Σ 收入',
      said: [],
      sources: [],
      same_named: [],
    },
  ],
};
const alerts = { data: [], mail_address: null, mail_problem: '系统没有设置发信邮箱' };
const choices = [
  { key: 'beside/revenue/0', label: '营业收入', chart: '主要数字', share: false },
  { key: 'detail/return_share/0', label: '退货率', chart: '营业收入明细', share: true },
];
const remark = {
  comment_id: 7,
  figure: 'beside/revenue/0',
  figure_label: '营业收入',
  day: '2026-11-11',
  words: '双十一',
  company_id: 1,
  company_name: '上海公司',
  author: '张三',
  at: '2026-11-12 09:00:00',
  changed_at: null,
  mine: true,
};
const comments = {
  data: [remark],
  figures: choices,
  companies: [{ company_id: 1, company_name: '上海公司' }],
  group: false,
};
let view: ReturnType<typeof renderPage>;

function open() {
  const routes: FakeRoutes = {
    'v2/report/Figure/getExplanation': () => okAnswer(EXPLANATION),
    'v2/report/FigureAlert/getMine': () => okAnswer(alerts),
    'v2/report/FigureAlert/getFigures': () => okAnswer(choices),
    'v2/report/FigureAlert/getValue': () => okAnswer({ value: 0.0123, told: '1.2%', filters: '月＝2026-11' }),
    'v2/report/FigureAlert/add': () => okAnswer({ id: 1 }),
    'v2/report/FigureComment/getList': () => okAnswer(comments),
    'v2/report/FigureComment/add': () => okAnswer({ id: 8 }),
    'v2/open/UserPreference/get': () => okAnswer([]),
  };
  view = renderPage(
    <FigureTools code="OperatingRevenue" tab="all" schemeScreen="report_OperatingRevenue/all" />,
    routes,
  );
}

/** Of an open list; its names stand there once more for those who don't see. */
async function take(list: string, name: string) {
  fireEvent.mouseDown(await screen.findByRole('combobox', { name: list }));
  fireEvent.click(await screen.findByText(name, { selector: '.ant-select-item-option-content' }));
}
const clickButton = (name: RegExp) => fireEvent.click(screen.getByRole('button', { name }));
const sentBodies = (call: string) => view.calls.filter(({ path }) => path === call).map(({ body }) => body);

beforeEach(() => {
  stubElementSizes();
  open();
});
afterEach(() => view.done());

describe('the figures of a report', () => {
  it('tell at one click how each is made, of what, of what moment, and why another of its name differs', async () => {
    clickButton(/口径/);
    await screen.findByText('数据更新于 2026-11-20 17:30:05，算到业务日 2026-11-20');
    expect(screen.getByText('算法：Σ 退货收入 ÷ Σ 销售收入')).toBeTruthy();
    expect(screen.getByText('销售出库')).toBeTruthy();
    expect(screen.getByText('与“采购分析”的退货率不同：一个是销售的，一个是采购的')).toBeTruthy();
    fireEvent.change(screen.getByLabelText('找一个数字'), { target: { value: '不含税' } });
    expect(screen.queryByText('算法：Σ 退货收入 ÷ Σ 销售收入')).toBeNull();
    expect(screen.getByText('算法：Σ 收入')).toBeTruthy();
  });

  it('are watched between bounds that are typed of a hundred where they are shares', async () => {
    clickButton(/预警/);
    await take('数字', '退货率');
    await screen.findByText('现在是 1.2%（筛选：月＝2026-11）');
    const save = screen.getByRole('button', { name: /保\s*存/ });
    expect(save.hasAttribute('disabled')).toBe(true);
    fireEvent.change(screen.getByLabelText('上限'), { target: { value: '一成' } });
    expect(save.hasAttribute('disabled')).toBe(true);
    fireEvent.change(screen.getByLabelText('上限'), { target: { value: '2.5' } });
    await waitFor(() => expect(save.hasAttribute('disabled')).toBe(false));
    fireEvent.click(save);
    await waitFor(() =>
      expect(sentBodies('v2/report/FigureAlert/add')).toEqual([
        {
          code: 'OperatingRevenue',
          tab: 'all',
          figure: 'detail/return_share/0',
          scheme: null,
          low: null,
          high: '0.025',
          way: 'message',
        },
      ]),
    );
  });

  it('bear remarks, which one adds for a company', async () => {
    clickButton(/批注/);
    await screen.findByText('双十一');
    expect(screen.getByText(/上海公司 · 张三 · 2026-11-12 09:00:00/)).toBeTruthy();
    await take('数字', '营业收入（主要数字）');
    fireEvent.change(screen.getByLabelText('日期'), { target: { value: '2026-11-18' } });
    fireEvent.change(screen.getByRole('textbox', { name: '批注' }), { target: { value: '大客户提前' } });
    clickButton(/^保\s*存$/);
    await waitFor(() =>
      expect(sentBodies('v2/report/FigureComment/add')).toEqual([
        {
          code: 'OperatingRevenue',
          tab: 'all',
          figure: 'beside/revenue/0',
          company_id: 1,
          day: '2026-11-18',
          words: '大客户提前',
        },
      ]),
    );
  });
});
