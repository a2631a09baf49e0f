import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Subscription, Subscriptions } from '@/gen';
import { TabsContext } from '@/lib/tabs';
import SubscribeDialog from './SubscribeDialog';

const set = {
  preference_id: 1,
  kind: 'scheme',
  screen: 'report_CustomerProfit/all',
  name: '上海',
  value: { filters: {} },
  mine: true,
};
let mine: Subscriptions;
let sentRequests: { path: string; body: unknown }[];
let refusal: string | null;
const close = vi.fn();

function start(subscription?: Subscription) {
  const shell = { open: vi.fn(), close: vi.fn(), replace: vi.fn(), setTitle: vi.fn() };
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={client}>
      <TabsContext value={shell}>
        <SubscribeDialog
          code="CustomerProfit"
          tab="all"
          schemeScreen="report_CustomerProfit/all"
          subscription={subscription}
          onClose={close}
        />
      </TabsContext>
    </QueryClientProvider>,
  );
}

async function agree(name = /^订\s*阅$/) {
  // antd sets two Chinese letters apart.
  const button = screen.getByRole('button', { name });
  await waitFor(() => expect(button.hasAttribute('disabled')).toBe(false));
  fireEvent.click(button);
}

/** Of an open list; its names stand there once more for those who don't see. */
async function take(name: string) {
  fireEvent.click(await screen.findByText(name, { selector: '.ant-select-item-option-content' }));
}

beforeEach(() => {
  mine = { data: [], mail_address: 'zhang@example.com', mail_problem: null };
  sentRequests = [];
  refusal = null;
  close.mockReset();
  vi.stubGlobal(
    'fetch',
    vi.fn((url: string, options?: { body?: string }) => {
      if (options?.body) sentRequests.push({ path: url, body: JSON.parse(options.body) });
      const data = url.includes('getMine') ? mine : url.includes('UserPreference') ? [set] : { id: 1 };
      const refused = refusal !== null && url.includes('Subscription/add');
      return Promise.resolve(
        Response.json(refused ? { code: 400, msg: refusal, data: null } : { code: 200, msg: '', data }),
      );
    }),
  );
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

describe('subscribing', () => {
  it('sends a weekly wish by mail under a kept filter set, and closes', async () => {
    start();
    fireEvent.mouseDown(screen.getByLabelText('筛选'));
    await take('上海');
    fireEvent.click(screen.getByText('每周'));
    fireEvent.mouseDown(screen.getByLabelText('日子'));
    await take('星期三');
    fireEvent.click(screen.getByText('PDF'));
    fireEvent.click(await screen.findByText(/zhang@example.com/));
    await agree();
    await waitFor(() => expect(close).toHaveBeenCalled());
    expect(sentRequests.map(({ body }) => body)).toEqual([
      { code: 'CustomerProfit', tab: 'all', scheme: '上海', rhythm: 'week', day: 3, hour: 8, way: 'mail', form: 'pdf' },
    ]);
  });

  it('changes what is said anew of one, and nothing else', async () => {
    start({
      subscription_id: 7,
      code: 'CustomerProfit',
      tab: 'all',
      title: '客户毛利分析',
      route: null,
      kept_as: 'report_CustomerProfit/all',
      scheme: '上海',
      rhythm: 'month',
      day: 31,
      hour: 18,
      schedule: '每月 31 日 18:00',
      way: 'mail',
      way_name: '邮件',
      form: 'pdf',
      form_name: 'PDF',
      paused: false,
      pause_reason: null,
      next_at: null,
      last: null,
    });
    fireEvent.click(screen.getByText('站内消息，文件在导出任务中'));
    await agree(/^保\s*存$/);
    await waitFor(() => expect(close).toHaveBeenCalled());
    expect(sentRequests).toEqual([
      {
        path: expect.stringContaining('Subscription/edit') as string,
        body: { subscription_id: 7, scheme: '上海', rhythm: 'month', day: 31, hour: 18, way: 'message', form: 'pdf' },
      },
    ]);
  });

  it('says why there is no mail, and stays open with what the server refuses', async () => {
    mine = { data: [], mail_address: null, mail_problem: '系统没有设置发信邮箱' };
    refusal = '最多订阅50个';
    start();
    expect(await screen.findByText('系统没有设置发信邮箱')).toBeTruthy();
    expect(screen.getByRole('radio', { name: /^邮件/ }).hasAttribute('disabled')).toBe(true);
    await agree();
    await waitFor(() => expect(sentRequests).toHaveLength(1));
    expect(sentRequests[0]?.body).toMatchObject({ scheme: null, rhythm: 'day', day: null, way: 'message' });
    expect(close).not.toHaveBeenCalled();
  });
});
