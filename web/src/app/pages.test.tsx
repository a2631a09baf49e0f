import { screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { buildBillScreen } from '@/engine/fixtures';
import { okAnswer, pageAnswer as listOf, renderPage } from '@/engine/harness';
import { RoutePage } from './pages';
import { DescribeContext } from './tabs/context';

const described = vi.fn();
const denied = { code: 403, msg: '您没有“公司库存报表”的权限' };
const noRight = { code: 403, msg: '您没有“成本明细”的权限' };
const unknown = { code: 400, msg: '页面不存在' };
/** Pages are loaded when they are first opened. */
const lazily = { timeout: 15_000 };

function open(
  route: string,
  answer: { code: number; msg?: string } = unknown,
  planned: { route: string; name: string } | null = null,
) {
  return renderPage(
    <DescribeContext value={described}>
      <RoutePage route={route} />
    </DescribeContext>,
    {
      'v2/report/Frame/getRoutes': () =>
        okAnswer([
          { route: '/inventory/CompanyInventoryreport', code: 'CompanyInventoryreport' },
          { route: '/report/BestSeller', code: 'BestSeller' },
        ]),
      'v2/report/Frame/getFrame': () => denied,
      'v2/Open/Screen/getScreen': () => answer,
      'v2/Open/Screen/getPlanned': () => okAnswer(planned),
      'v2/sales/SalesOutstock/getList': () => listOf([]),
      'v2/open/ReportStatistic/add': () => okAnswer(null),
    },
  );
}

let page: ReturnType<typeof open>;
afterEach(() => page.done());

describe('the page of a route', () => {
  it.each(['/inventory/CompanyInventoryreport', '/report/BestSeller?goods_num=LT0001'])(
    'is a report at %s',
    async (route) => {
      page = open(route);
      await waitFor(() => expect(screen.getByText(denied.msg)).toBeTruthy(), lazily);
      const [asked] = page.calls.filter(({ path }) => path.endsWith('getFrame'));
      expect(route).toContain(asked?.query.code);
      expect(page.calls.some(({ path }) => path.endsWith('getScreen'))).toBe(false);
      expect(described).toHaveBeenCalledWith(route, '报表');
    },
  );

  it.each(['/report/costdetail', '/inventory/stockmoves'])('is a screen of the server at %s', async (route) => {
    page = open(route);
    await waitFor(() => expect(screen.getByText('页面不存在')).toBeTruthy(), lazily);
    expect(page.calls.filter(({ path }) => path.endsWith('getScreen')).map(({ query }) => query.route)).toEqual([
      route,
    ]);
    expect(page.calls.some(({ path }) => path.endsWith('getFrame'))).toBe(false);
  });

  it('says of a screen that is planned that it is not there yet, and not that the address is wrong', async () => {
    const route = '/shopping_mall/plusSetting';
    page = open(`${route}?from=header`, unknown, { route, name: '签约设置' });
    await waitFor(() => expect(screen.getByText('该功能尚未开放，请先使用其他功能。')).toBeTruthy(), lazily);
    expect(screen.getByText('签约设置')).toBeTruthy();
    expect(screen.queryByText('页面不存在')).toBeNull();
    expect(screen.getByText('返回主页').closest('a')?.getAttribute('href')).toBe('/home');
    expect(described).toHaveBeenCalledWith(`${route}?from=header`, '签约设置');
  });

  it('names the tab of a screen that may not be seen', async () => {
    page = open('/report/costdetail', noRight);
    await waitFor(() => expect(screen.getByText(noRight.msg)).toBeTruthy(), lazily);
    expect(described).toHaveBeenCalledWith('/report/costdetail', '暂无权限');
  });

  it.each([
    ['a report of the server', 'costdetail', ['costdetail']],
    ['any other screen', null, []],
  ])('records the use of %s', async (_, report, visits) => {
    page = open('/report/costdetail', okAnswer(buildBillScreen({ actions: [], report })));
    await waitFor(() => expect(page.calls.some(({ path }) => path.endsWith('getList'))).toBe(true), lazily);
    expect(
      page.calls.filter(({ path }) => path.endsWith('ReportStatistic/add')).map(({ query }) => query.code),
    ).toEqual(visits);
  });
});
