import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildBillScreen } from '@/engine/fixtures';
import { findButton, stubElementSizes, okAnswer, pageAnswer as listOf, renderPage } from '@/engine/harness';
import ReportHomePage from './ReportHomePage';

const api = 'v2/report/ReportHome';
const preferences = 'v2/open/UserPreference';

const report = (
  code: string,
  name: string,
  question: string,
  group: string,
  initials: string,
  opened: string | null,
  words = '',
  visit = 0,
) => ({
  code,
  report_name: name,
  question,
  group_name: group,
  route: `/report/${code}`,
  initials,
  opened_at: opened,
  last_visit_id: visit || null,
  words,
});
const salesSummary = report(
  'salesmulrpt',
  '销售综合报表',
  '这段时间卖了多少？',
  '销售报表',
  'XSZHBB',
  '2026-11-21 18:30:05',
  '',
  1,
);
const bestSeller = report(
  'BestSeller',
  '畅销商品',
  '什么卖得最好，库存还够卖几天？',
  '销售报表',
  'CXSP',
  '2026-11-21 18:30:05',
  '',
  2,
);
const aging = report(
  'inventoryAgingReport',
  '库存账龄',
  '库存放了多久，哪些商品该清？',
  '库存报表',
  'KCZL',
  null,
  '压货 积压',
);

let favouriteCodes: string[];
let view: ReturnType<typeof renderPage>;

function open(reports: unknown[] = [salesSummary, bestSeller, aging]) {
  view = renderPage(<ReportHomePage screen={{ ...buildBillScreen(), name: 'report_home', api, actions: [] }} />, {
    [`${api}/getList`]: () => listOf(reports),
    [`${preferences}/get`]: () => okAnswer(favouriteCodes.map((name) => ({ name }))),
    [`${preferences}/save`]: ({ body }) => {
      favouriteCodes = [String(body.name), ...favouriteCodes];
      return okAnswer(null);
    },
    [`${preferences}/del`]: ({ body }) => {
      favouriteCodes = favouriteCodes.filter((name) => name !== body.name);
      return okAnswer(null);
    },
  });
}

const findSection = (name: string) => screen.findByRole('region', { name });
const names = (region: HTMLElement) =>
  within(region)
    .queryAllByRole('link')
    .map((link) => link.querySelector('strong')?.textContent);
const look = async (wanted: string) =>
  fireEvent.change(await screen.findByLabelText('查找报表'), { target: { value: wanted } });

beforeEach(() => {
  stubElementSizes();
  favouriteCodes = [];
});
afterEach(() => view.done());

describe('the home of the reports', () => {
  it('shelves them by group, each with its question and its address', async () => {
    open();
    expect(names(await findSection('销售报表'))).toEqual(['销售综合报表', '畅销商品']);
    expect(names(await findSection('库存报表'))).toEqual(['库存账龄']);
    const link = within(await findSection('库存报表')).getByRole('link');
    expect(link.textContent).toContain('库存放了多久，哪些商品该清？');
    expect(link.getAttribute('href')).toBe('/report/inventoryAgingReport');
    expect(screen.getByRole('status').textContent).toBe('共 3 张报表');
  });

  it('puts the last ones opened on top, the newest first, also within a second', async () => {
    open();
    const region = await findSection('最近打开');
    expect(names(region)).toEqual(['畅销商品', '销售综合报表']);
    expect(region.textContent).toContain('上次打开 2026-11-21 18:30');
  });

  it.each([
    ['该清', ['库存账龄']],
    ['kczl', ['库存账龄']],
    ['/report/best', ['畅销商品']],
    ['卖 多少', ['销售综合报表']],
    ['库存', ['库存账龄', '畅销商品']],
    ['压货', ['库存账龄']],
  ])('finds “%s”', async (wanted, hits) => {
    open();
    await look(wanted);
    expect(names(await findSection('查找结果'))).toEqual(hits);
    expect(screen.queryByRole('region', { name: '销售报表' })).toBeNull();
  });

  it('leads to the nearest ones, and says so, when none says all that is asked', async () => {
    open();
    await look('哪些货放了很久');
    expect(names(await findSection('最接近的报表'))).toEqual(['库存账龄']);
    expect(screen.getByRole('status').textContent).toBe('没有完全相符的，最接近的有 1 张');
  });

  it('opens the first hit on Enter, but not the Enter of an input method', async () => {
    open();
    await look('账龄');
    const box = screen.getByLabelText('查找报表');
    fireEvent.keyDown(box, { key: 'Enter', isComposing: true });
    expect(view.tabs.open).not.toHaveBeenCalled();
    fireEvent.keyDown(box, { key: 'Enter' });
    expect(view.tabs.open).toHaveBeenCalledWith('/report/inventoryAgingReport', '库存账龄');
  });

  it('says so when nothing fits, and leads back to all', async () => {
    open();
    await look('天气');
    expect(await screen.findByText('没有找到与“天气”有关的报表，换一个说法试试')).toBeTruthy();
    fireEvent.click(findButton('看全部报表')!);
    expect(names(await findSection('库存报表'))).toEqual(['库存账龄']);
  });

  it('keeps a starred report on the server and on top, until the star goes', async () => {
    open();
    expect((await findSection('我的收藏')).textContent).toContain('点报表右上角的星标收藏');
    fireEvent.click(within(await findSection('库存报表')).getByRole('button', { name: '收藏库存账龄' }));
    await waitFor(async () => expect(names(await findSection('我的收藏'))).toEqual(['库存账龄']));
    await waitFor(() => expect(favouriteCodes).toEqual(['inventoryAgingReport']));
    const saved = view.calls.find(({ path }) => path.endsWith('/save'));
    expect(saved?.body).toMatchObject({ kind: 'favourite', screen: 'report_home', name: 'inventoryAgingReport' });
    fireEvent.click(within(await findSection('我的收藏')).getByRole('button', { pressed: true }));
    await waitFor(async () => expect(names(await findSection('我的收藏'))).toEqual([]));
    await waitFor(() => expect(favouriteCodes).toEqual([]));
  });

  it('leaves out a favourite that may not be opened any more', async () => {
    favouriteCodes = ['CustomerProfit', 'BestSeller'];
    open();
    await waitFor(async () => expect(names(await findSection('我的收藏'))).toEqual(['畅销商品']));
  });

  it('says so when there is no report at all', async () => {
    open([]);
    expect(await screen.findByText('您的角色还没有任何报表，请联系管理员授权')).toBeTruthy();
  });
});
