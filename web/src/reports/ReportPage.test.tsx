import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Frame } from '@/gen';
import { writeSlot } from '@/lib/localStorageSlot';
import { TabsContext } from '@/lib/tabs';
import ReportPage from './ReportPage';

const tab = (key: string, label: string, address: string | null = `/embedded/${key}?role_id=3`) => ({
  key,
  label,
  embed_id: key,
  address,
  filters: [],
  opens_with: {},
});

const values = { goods_num: 'LT0001' };
let frame: Frame;
let publishedAt: string;
let notices: string[];
let refusal: { code: number; msg: string } | null;
let requestedPaths: string[];
let savedValues: unknown[];

function answer(url: string): unknown {
  const path = url.split('?')[0] ?? '';
  requestedPaths.push(url);
  if (path.endsWith('getGuestToken')) return { code: 200, msg: '', data: { token: 'g', expires_in: 300 } };
  if (path.endsWith('getFrame')) return refusal ? { ...refusal, data: null } : { code: 200, msg: '', data: frame };
  if (path.endsWith('UserPreference/get')) return { code: 200, msg: '', data: savedValues };
  return { code: 200, msg: '', data: { refreshed_at: publishedAt, notices } };
}

/** A page in a frame that has loaded and answers what it is asked. */
function loads(shown: HTMLIFrameElement) {
  const postMessage = (_message: unknown, _origin: string, [port]: MessagePort[]) => {
    if (!port) return;
    port.onmessage = ({ data }: MessageEvent<{ messageId?: string }>) => {
      if (data.messageId) port.postMessage({ switchboardAction: 'reply', messageId: data.messageId, result: {} });
    };
  };
  Object.defineProperty(shown, 'contentWindow', { value: { postMessage }, configurable: true });
  const page = document.implementation.createHTMLDocument();
  page.body.innerHTML = '<div class="chart-container"></div>';
  Object.defineProperty(shown, 'contentDocument', { value: page, configurable: true });
  fireEvent.load(shown);
}

const macrotask = setImmediate;
/** Messages between pages come whatever the clock does. */
const hear = () => act(() => new Promise<void>((done) => macrotask(() => macrotask(done))));
const does = (shown: HTMLIFrameElement, kind: string) =>
  shown.contentDocument!.body.dispatchEvent(new Event(kind, { bubbles: true }));
const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

async function start(opened: Record<string, string> = values) {
  const shell = { open: vi.fn(), close: vi.fn(), replace: vi.fn(), setTitle: vi.fn() };
  const view = render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <TabsContext value={shell}>
        <ReportPage code="warehouseTurnover" values={opened} />
      </TabsContext>
    </QueryClientProvider>,
  );
  await wait(50);
  return { shell, view };
}

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
  requestedPaths = [];
  publishedAt = '2026-11-20 18:30:00';
  refusal = null;
  savedValues = [];
  notices = [];
  frame = {
    code: 'warehouseTurnover',
    route: '/report/warehouseTurnover',
    label: '仓库周转率',
    refreshed_at: '2026-11-20 18:30:00',
    default_tab: 'month',
    tabs: [tab('week', '按周分析'), tab('month', '按月分析')],
    may_export: true,
  };
  vi.stubGlobal(
    'fetch',
    vi.fn((url: string) => Promise.resolve(Response.json(answer(url)))),
  );
});

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

describe('report page', () => {
  it('opens on the month, names its tab and counts the visit', async () => {
    const { shell } = await start();
    expect(screen.getByRole('tab', { selected: true }).textContent).toBe('按月分析');
    expect(document.querySelector('iframe')?.getAttribute('src')).toBe('/embedded/month?role_id=3');
    expect(requestedPaths.find((url) => url.includes('getFrame'))).toContain('goods_num=LT0001');
    expect(shell.setTitle).toHaveBeenCalledWith('/report/warehouseTurnover', '仓库周转率');
    expect(requestedPaths.filter((url) => url.includes('ReportStatistic/add'))).toHaveLength(1);
  });

  it('opens the tab and the kept filters that a link names, which the server is not asked about', async () => {
    const period = {
      key: 'period',
      id: 'NATIVE_FILTER-1',
      column: 'month_label',
      label: '筛选',
      latest: true,
      ranged: false,
    };
    frame = { ...frame, tabs: [{ ...tab('week', '按周分析'), filters: [period] }, tab('month', '按月分析')] };
    savedValues = [
      { name: '十月', mine: false, value: { filters: { period: ['2026-09'] } } },
      { name: '十月', mine: true, value: { filters: { period: ['2026-10'] } } },
    ];
    await start({ report_tab: 'week', scheme: '十月' });
    expect(screen.getByRole('tab', { selected: true }).textContent).toBe('按周分析');
    const shown = document.querySelector('iframe')?.getAttribute('src') ?? '';
    expect(decodeURIComponent(shown)).toContain("'val':!('2026-10')");
    expect(decodeURIComponent(shown)).not.toContain('2026-09');
    const getFrame = requestedPaths.find((url) => url.includes('getFrame')) ?? '';
    expect(getFrame).not.toContain('scheme');
    expect(getFrame).not.toContain('report_tab');
  });

  it('keeps the frame of the tab left', async () => {
    await start();
    fireEvent.click(screen.getByText('按周分析'));
    await wait(500);
    expect([...document.querySelectorAll('iframe')].map((each) => each.title).sort()).toEqual([
      '仓库周转率 按周分析',
      '仓库周转率 按月分析',
    ]);
  });

  it('says so when the hostname is not listed', async () => {
    frame = { ...frame, default_tab: 'all', tabs: [tab('all', '全部', null)] };
    await start();
    expect(screen.getByText('当前访问地址没有对应的报表服务')).toBeTruthy();
    expect(document.querySelector('iframe')).toBeNull();
  });

  it('says so when the role has no right to it', async () => {
    refusal = { code: 403, msg: '您没有“仓库周转率”的权限' };
    await start();
    expect(screen.getByText('没有查看此报表的权限')).toBeTruthy();
    expect(screen.getByText('您没有“仓库周转率”的权限')).toBeTruthy();
    expect(requestedPaths.some((url) => url.includes('ReportStatistic/add'))).toBe(false);
  });

  it('loads newly published figures behind the charts on screen', async () => {
    await start();
    publishedAt = '2026-11-20 18:31:00';
    await wait(3_600);
    expect(screen.getByText('数据更新于 2026-11-20 18:30:00'), 'those on screen').toBeTruthy();
    expect(document.querySelectorAll('iframe')).toHaveLength(2);
    expect(document.querySelector('[aria-hidden=true] > iframe')).toBeTruthy();
  });

  it('waits for the reader when told not to follow', async () => {
    await start();
    fireEvent.click(screen.getByLabelText('自动更新'));
    publishedAt = '2026-11-20 18:31:00';
    await wait(4_000);
    expect(document.querySelectorAll('iframe')).toHaveLength(1);
    fireEvent.click(screen.getByText('有新数据，刷新'));
    await wait(100);
    expect(document.querySelectorAll('iframe')).toHaveLength(2);
  });

  it.each(['wheel', 'keydown', 'pointerdown', 'input'])(
    'offers new figures to a reader after a %s, and leaves him his place',
    async (kind) => {
      await start();
      const shown = document.querySelector('iframe')!;
      loads(shown);
      await hear();
      does(shown, kind);
      publishedAt = '2026-11-20 18:31:00';
      await wait(40_000);
      expect([...document.querySelectorAll('iframe')]).toEqual([shown]);
      fireEvent.click(screen.getByText('有新数据，刷新'));
      await hear();
      await wait(2_500);
      expect(document.querySelectorAll('iframe')).toHaveLength(2);
    },
  );

  it('lets a reader who begins meanwhile keep the charts on screen', async () => {
    await start();
    const shown = document.querySelector('iframe')!;
    loads(shown);
    await hear();
    publishedAt = '2026-11-20 18:31:00';
    await wait(3_500);
    await hear();
    await wait(2_500);
    const [, coming] = document.querySelectorAll('iframe');
    expect(coming).toBeTruthy();
    does(shown, 'wheel');
    loads(coming!);
    await hear();
    await wait(60_000);
    expect([...document.querySelectorAll('iframe')]).toEqual([shown]);
    expect(screen.getByText('有新数据，刷新')).toBeTruthy();
  });

  it('lets new figures take the place of those that nobody has touched', async () => {
    await start();
    const shown = document.querySelector('iframe')!;
    loads(shown);
    await hear();
    publishedAt = '2026-11-20 18:31:00';
    await wait(3_500);
    await hear();
    await wait(2_500);
    const [, coming] = document.querySelectorAll('iframe');
    loads(coming!);
    await hear();
    await wait(1_000);
    expect([...document.querySelectorAll('iframe')]).toEqual([coming]);
    expect(screen.getByText('数据更新于 2026-11-20 18:31:00')).toBeTruthy();
  });

  it('stands as its address says, takes filters along to another tab, and says in its address how it stands', async () => {
    const filter = (key: string, column: string) => ({
      key,
      id: `NATIVE_FILTER-${key}`,
      column,
      label: key,
      latest: key === 'period',
      ranged: false,
    });
    const company = filter('company', 'company_name');
    const [week, month] = frame.tabs;
    frame = {
      ...frame,
      tabs: [
        { ...week!, filters: [filter('period', 'week_label'), company], opens_with: { period: ['2026-W47'] } },
        { ...month!, filters: [filter('period', 'month_label'), company], opens_with: { period: ['2026-11'] } },
      ],
    };
    window.history.replaceState(null, '', frame.route);
    const src = () => decodeURIComponent([...document.querySelectorAll('iframe')].at(-1)?.getAttribute('src') ?? '');
    await start({ filters: '{"company":["苏州公司"],"period":["2026-10"]}' });
    expect(src()).toMatch(/^\/embedded\/month\?.*'val':!\('2026-10'\).*'val':!\('苏州公司'\)/);
    await wait(1_500);
    expect(decodeURIComponent(window.location.search)).toBe(
      '?report_tab=month&filters={"company":["苏州公司"],"period":["2026-10"]}',
    );

    fireEvent.click(screen.getByText('按周分析'));
    await wait(1_500);
    const opened = decodeURIComponent(document.querySelector('iframe[title$=按周分析]')?.getAttribute('src') ?? '');
    expect(opened).toMatch(/'val':!\('2026-W47'\).*'val':!\('苏州公司'\)/);
    expect(decodeURIComponent(window.location.search)).toBe('?report_tab=week&filters={"company":["苏州公司"]}');
    window.history.replaceState(null, '', '/');
  });

  it('takes its place in the tabs from its route, wherever it stands', async () => {
    frame = {
      ...frame,
      code: 'CompanyInventoryreport',
      route: '/inventory/CompanyInventoryreport',
      label: '公司库存报表',
    };
    const { shell } = await start();
    expect(shell.setTitle).toHaveBeenCalledWith('/inventory/CompanyInventoryreport', '公司库存报表');
  });

  it.each([
    ['tabs', 2],
    ['one tab', 1],
  ])('says what to know of the figures while it is so, above %s', async (_, tabs) => {
    frame = { ...frame, default_tab: 'week', tabs: frame.tabs.slice(0, tabs) };
    notices = [
      '数据校验未通过（库存分层合计等于结存），显示的是 2026-11-20 18:30:00 的数据',
      '上海公司、2026-09 起的期间正在重算成本（50 / 120 个商品），数字可能变化',
    ];
    await start();
    expect(screen.getAllByRole('alert').map((each) => each.textContent)).toEqual(notices);
    expect(document.querySelector('iframe'), 'the last good figures stay').toBeTruthy();

    notices = [];
    await wait(4_000);
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it.each([
    ['tabs', 2],
    ['one tab', 1],
  ])('offers the export to whom may, beside %s', async (_, tabs) => {
    frame = { ...frame, default_tab: 'week', tabs: frame.tabs.slice(0, tabs) };
    const { view } = await start();
    expect(screen.getByRole('button', { name: /导出/ })).toBeTruthy();
    view.unmount();
    frame = { ...frame, may_export: false };
    await start();
    expect(screen.queryByRole('button', { name: /导出/ })).toBeNull();
  });

  it("opens with the reader's usual filters unless a link says more, and anew with others that he kept", async () => {
    const filters = [
      { key: 'period', id: 'NATIVE_FILTER-p', column: 'month_label', label: '筛选', latest: true, ranged: false },
      { key: 'company', id: 'NATIVE_FILTER-c', column: 'company_name', label: '筛选', latest: false, ranged: false },
    ];
    const opens_with = { period: ['2026-11'] };
    frame = { ...frame, tabs: frame.tabs.map((each) => ({ ...each, filters, opens_with })) };
    savedValues = [{ preference_id: 1, name: '苏州', value: { filters: { company: ['苏州公司'] } }, mine: true }];
    writeSlot('scheme:report_warehouseTurnover/month', { filters: { company: ['上海公司'] } });
    const src = () => decodeURIComponent(document.querySelector('iframe')?.getAttribute('src') ?? '');
    const { view } = await start({});
    expect(src()).toMatch(
      /^\/embedded\/month\?native_filters=.*'val':!\('2026-11'\).*'val':!\('上海公司'\).*&role_id=3$/,
    );

    fireEvent.click(screen.getByRole('button', { name: /常用筛选/ }));
    await wait(200);
    fireEvent.click(screen.getByText('苏州'));
    await wait(200);
    expect(src()).toMatch(/'val':!\('2026-11'\).*'val':!\('苏州公司'\)/);
    view.unmount();

    await start();
    expect(src()).toMatch(/'val':!\('2026-11'\)/);
    expect(src()).not.toMatch(/公司/);
  });

  it('stops renewing tokens when it goes', async () => {
    const { view } = await start();
    view.unmount();
    const before = requestedPaths.length;
    await wait(600_000);
    expect(requestedPaths).toHaveLength(before);
  });
});
