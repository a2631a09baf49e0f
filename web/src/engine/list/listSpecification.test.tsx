import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { buildBillScreen } from '../fixtures';
import { stubElementSizes, okAnswer, pressButton, type FakeRoutes } from '../harness';
import { api, description, listCalls, openList, rows, tickRow, view, BASE_ROUTES, renderView } from './listHarness';
import ListPage from './ListPage';

beforeEach(stubElementSizes);
afterEach(() => {
  view.done();
  vi.unstubAllGlobals();
});

describe('a list is as the specification writes it', () => {
  it('3-rules 9: pagination layout total, sizes, prev, pager, next, jumper', async () => {
    await openList({ [`${api}/getTotals`]: () => okAnswer({ total: 90, totals: {} }) });
    await screen.findByText('共 90 条');
    const parts = [
      '.ant-pagination-total-text',
      '.page-sizes',
      '.ant-pagination-prev',
      '.ant-pagination-item',
      '.ant-pagination-next',
      '.ant-pagination-options-quick-jumper',
    ];
    const places = parts.map((part) => document.querySelector(`.list-pagination ${part}`)!);
    for (const [at, place] of places.slice(1).entries()) {
      const order = places[at]!.compareDocumentPosition(place);
      expect(
        order & (Node.DOCUMENT_POSITION_FOLLOWING | Node.DOCUMENT_POSITION_CONTAINED_BY),
        parts[at + 1],
      ).toBeGreaterThan(0);
    }
  });
  it('3-rules 6: only permitted columns show, and all where that can’t be told', async () => {
    const fields: FakeRoutes = {
      'v2/open/FieldAuth/getFieldList': () => okAnswer([{ field: 'bill_no' }, { field: 'business_date' }]),
    };
    await openList(fields);
    const titles = () => [...document.querySelectorAll('th')].map((one) => one.textContent).filter(Boolean);
    await waitFor(() =>
      expect(titles()).toEqual(
        ['序号', 'bill_no', 'business_date'].map(
          (name) => description.fields.find((one) => one.name === name)?.label ?? name,
        ),
      ),
    );
    expect(view.calls.find(({ path }) => path.endsWith('getFieldList'))?.query.menu_action).toBe('salesout');
    view.unmount();
    await openList();
    await waitFor(() => expect(titles()).toContain('金额合计'));
  });
  it('3-rules 8: a table answer 404 is no rows and no message, 304 is success', async () => {
    renderView(<ListPage screen={description} params={{}} />, {
      ...BASE_ROUTES,
      [`${api}/getList`]: () => ({ code: 404, msg: '没有', data: null }),
    });
    await waitFor(() => expect(listCalls()).toHaveLength(1));
    expect((await screen.findAllByText('No data')).length).toBeGreaterThan(0);
    expect(screen.queryByText('列表加载失败')).toBeNull();
    expect(view.told).toEqual([]);
    view.unmount();
    const told = { data: rows, current_page: 1, per_page: 30, last_page: 1 };
    renderView(<ListPage screen={description} params={{}} />, {
      ...BASE_ROUTES,
      [`${api}/getList`]: () => ({ code: 304, msg: '', data: told }),
    });
    expect(await screen.findByText('XSCK1')).toBeTruthy();
  });
  it('on a phone is cards: title, state, what is chosen of the rest, and the totals', async () => {
    const wide = HTMLElement.prototype.clientWidth;
    expect(wide).toBe(1200);
    vi.stubGlobal(
      'ResizeObserver',
      class {
        constructor(private readonly told: () => void) {}
        observe() {
          this.told();
        }
        unobserve() {}
        disconnect() {}
      },
    );
    Object.defineProperty(HTMLElement.prototype, 'clientWidth', { configurable: true, get: () => 366 });
    await openList();
    const card = await screen.findByRole('article', { name: 'XSCK1' });
    expect(document.querySelector('.ant-table')).toBeNull();
    expect([...card.querySelectorAll('dt')].map((one) => one.textContent)).toEqual(
      ['business_date', '客户', '金额合计'].map(
        (name) => description.fields.find((one) => one.name === name)?.label ?? name,
      ),
    );
    expect(within(card).getByText('1,234.50')).toBeTruthy();
    expect(within(card).getByText('未审核')).toBeTruthy();
    expect(await screen.findByText('9,876.50')).toBeTruthy();
    fireEvent.click(within(card).getByLabelText('选择'));
    expect(await screen.findByText('已选 1 条')).toBeTruthy();
    fireEvent.click(within(card).getByText('打开'));
    expect(view.tabs.open).toHaveBeenCalledWith('/sales/salesout/salesamend?id=1', '销售出库单详情');
  });
  it('tells the same of a single one that is refused, for 5 seconds', async () => {
    await openList({ [`${api}/del`]: () => ({ code: 400, msg: '已被引用，不能删除', data: null }) });
    tickRow('XSCK1');
    await pressButton('删除');
    await pressButton('确定');
    await waitFor(() =>
      expect(view.told.at(-1)).toMatchObject({
        level: 'error',
        msg: '选择1条，成功删除0条，被引用的数据不能删除',
        seconds: 5,
      }),
    );
    expect(await screen.findByText(/已被引用，不能删除/)).toBeTruthy();
  });
  it('tells of a deletion for 5 seconds', async () => {
    await openList({ [`${api}/del`]: () => okAnswer({ success: [1], failures: [] }) });
    tickRow('XSCK1');
    await pressButton('删除');
    await pressButton('确定');
    await waitFor(() => expect(view.told.at(-1)).toMatchObject({ level: 'success', msg: '删除成功', seconds: 5 }));
  });
  it('leads nowhere by what looks like a link: a row that opens nothing is plain text', async () => {
    const shut = buildBillScreen({ routes: { list: '/sales/salesout' }, actions: [] });
    renderView(<ListPage screen={shut} params={{}} />, BASE_ROUTES);
    expect((await screen.findByText('XSCK1')).closest('a')).toBeNull();
    view.unmount();
    await openList();
    expect(screen.getByText('XSCK1').closest('a')).not.toBeNull();
  });
});
