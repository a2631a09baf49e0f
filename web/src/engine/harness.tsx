import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { fireEvent, render, waitFor } from '@testing-library/react';
import { App, ConfigProvider } from 'antd';
import type { ReactNode } from 'react';
import { MemoryRouter } from 'react-router';
import { vi } from 'vitest';
import { setSession } from '../lib/api';
import { onReportedError, type ReportedError } from '../lib/errors';
import { TabsContext, type TabsApi } from '../lib/tabs';

/** Pages in a test: a signed-in user, tabs that record, and a server answering by path. */

export interface RecordedCall {
  method: string;
  path: string;
  query: Record<string, string>;
  body: Record<string, unknown>;
  key: string | null;
}

type FakeAnswer = { code: number; msg?: string; data?: unknown };
export type FakeRoutes = Record<string, (call: RecordedCall) => FakeAnswer | Promise<FakeAnswer>>;

export const okAnswer = (data: unknown): FakeAnswer => ({ code: 200, msg: '成功', data });
export const pageAnswer = (rows: unknown[]) =>
  okAnswer({ data: rows, total: rows.length, current_page: 1, per_page: 30, last_page: 1 });

/** Half the time of a page in jsdom went to style sheets that nothing is painted with. */
const TEST_THEME = { zeroRuntime: true, token: { motion: false } };

/** jsdom lays nothing out; a grid of this size shows some twenty rows. */
export function stubElementSizes(): void {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      unobserve() {}
      disconnect() {}
    },
  );
  for (const [name, size] of [
    ['offsetHeight', 600],
    ['offsetWidth', 1200],
    ['clientHeight', 600],
    ['clientWidth', 1200],
  ] as const) {
    Object.defineProperty(HTMLElement.prototype, name, { configurable: true, get: () => size });
  }
  Element.prototype.scrollTo = () => undefined;
  Element.prototype.scrollIntoView = () => undefined;
  window.matchMedia ??= () =>
    ({
      matches: false,
      addListener() {},
      removeListener() {},
      addEventListener() {},
      removeEventListener() {},
    }) as never;
}

export function renderPage(content: ReactNode, routes: FakeRoutes) {
  const calls: RecordedCall[] = [];
  const reported: ReportedError[] = [];
  const tabs = { open: vi.fn(), close: vi.fn(), replace: vi.fn(), setTitle: vi.fn() } satisfies TabsApi;
  const off = onReportedError((notice) => reported.push(notice));
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    const address = new URL(url, 'http://erp.test');
    const call: RecordedCall = {
      method: init.method ?? 'GET',
      path: address.pathname.slice(1),
      query: Object.fromEntries(address.searchParams),
      body:
        init.body instanceof FormData
          ? Object.fromEntries(init.body)
          : init.body
            ? (JSON.parse(init.body as string) as Record<string, unknown>)
            : {},
      key: new Headers(init.headers).get('Idempotency-Key'),
    };
    calls.push(call);
    const answer = routes[call.path];
    return Response.json(answer ? await answer(call) : { code: 400, msg: `没有 ${call.path}`, data: null });
  });
  setSession({
    token: 't',
    sign_key: 'k',
    expires_at: '2099-01-01 00:00:00',
    user_id: 7,
    user_name: 'clerk',
    realname: '张三',
    role_id: 3,
    role_name: '开单员',
    company_id: 2,
    company_name: '华东公司',
    department_name: '销售部',
    company_admin_id: null,
    titName: null,
    area_name: null,
    scope: '',
    imitator: null,
    must_change_password: false,
    system: { type: 0, operatingVersion: 1, extendToolbar: '默认' },
  });
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, gcTime: 0 } } });
  const view = render(
    <ConfigProvider theme={TEST_THEME}>
      <App>
        <QueryClientProvider client={client}>
          <MemoryRouter initialEntries={['/sales/salesoutAdd']}>
            <TabsContext value={tabs}>{content}</TabsContext>
          </MemoryRouter>
        </QueryClientProvider>
      </App>
    </ConfigProvider>,
  );
  const done = () => {
    view.unmount();
    off();
    localStorage.clear();
    sessionStorage.clear();
  };
  return { ...view, calls, told: reported, tabs, done };
}

/** Buttons by their text; far quicker than by role in a page of thousands of nodes, and blind to antd's extra space. */
export function findButton(label: string): HTMLButtonElement | undefined {
  return [...document.querySelectorAll('button')].find((one) => one.textContent?.replace(/\s/g, '') === label);
}

export async function pressButton(label: string): Promise<void> {
  const found = await waitFor(() => {
    const one = findButton(label);
    if (!one) throw new Error(`no button ${label}`);
    if (one.disabled) throw new Error(`the button ${label} is off`);
    return one;
  });
  fireEvent.click(found);
}
