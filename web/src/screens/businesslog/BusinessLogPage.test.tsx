import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildBillScreen } from '@/engine/fixtures';
import { stubElementSizes, okAnswer, pressButton, renderPage } from '@/engine/harness';
import BusinessLogPage from './BusinessLogPage';

const api = 'v2/system/BusinessLog';
const description = { ...buildBillScreen(), name: 'business_log', api, fields: [], actions: [] };
const entry = (log_id: number) => ({
  log_id,
  at: '2026-11-21 10:00:00',
  company_name: '华东公司',
  resource: 'sales_order',
  resource_name: '销售订单',
  record_id: 8,
  bill_no: `XSDD${log_id}`,
  route: '/sales/salesorderSee?id=8',
  action: 'edit',
  action_name: '修改',
  user_name: '张三',
  imitator_name: log_id === 9 ? '李四' : '接口令牌：官网',
  reason: null,
  changes: [{ field: 'remark', label: '备注', before: '急', after: null }],
});

let view: ReturnType<typeof renderPage>;
beforeEach(stubElementSizes);
afterEach(() => view.done());

describe('the business log', () => {
  it('walks back page by page, opens changes, leads to bills and names who simulated and which token acted', async () => {
    view = renderPage(<BusinessLogPage screen={description} />, {
      [`${api}/getChoices`]: () => okAnswer({ resources: [], actions: [] }),
      [`${api}/getPage`]: ({ query }) =>
        okAnswer(query.before === '0' ? { data: [entry(9)], next: 9 } : { data: [entry(8)], next: null }),
    });
    fireEvent.click(await screen.findByText('XSDD9'));
    expect(view.tabs.open).toHaveBeenCalledWith('/sales/salesorderSee?id=8', '销售订单详情');
    expect(screen.getByText('由 李四 模拟')).toBeTruthy();
    fireEvent.click(screen.getByText('备注 急 → 空'));
    expect(await screen.findByText('修改后')).toBeTruthy();
    await pressButton('加载更早的50条');
    await screen.findByText('XSDD8');
    expect(screen.getByText('接口令牌：官网')).toBeTruthy();
    await waitFor(() => expect(screen.getByText('已到最早一条，共 2 条')).toBeTruthy());
  });
});
