import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { goodsLineFields as fields, pricing } from '../fixtures';
import { stubElementSizes, okAnswer, pageAnswer, pressButton, renderPage, type FakeRoutes } from '../harness';
import { createLineStore, type LineStore } from './lineStore';
import { SheetButton } from './SheetButton';

const block = { name: 'lines', label: '商品明细', fields, required: true, source: null };
const context = { bill: 'sales_outbound', header: () => ({ company_id: 2, warehouse_id: 5 }) };
const tyre = {
  goods_id: 11,
  goods_num: 'MX205',
  goods_name: '米其林 205/55R16',
  tax_rate: '13',
  last_price: '455',
  unit_price: '455',
};
const sheet = {
  lines: [{ row: 2, cells: { goods_id: { value: 11, label: 'MX205' }, quantity: { value: '4', label: null } } }],
  problems: [] as unknown[],
};

let store: LineStore;
let view: ReturnType<typeof renderPage>;
const open = (routes: FakeRoutes) => {
  store = createLineStore(fields, []);
  const goods: FakeRoutes = { 'v2/inventory/Goods/getGoodsListPopup': () => pageAnswer([tyre]) };
  view = renderPage(<SheetButton store={store} block={block} pricing={pricing} context={context} />, {
    ...goods,
    ...routes,
  });
};
const give = async () => {
  const file = new File(['x'], '明细.xlsx');
  await act(async () => {
    fireEvent.change(screen.getByLabelText('导入商品明细'), { target: { files: [file] } });
    await store.whenIdle();
  });
};

beforeEach(stubElementSizes);
afterEach(() => {
  view.done();
  vi.restoreAllMocks();
});

describe('lines from Excel', () => {
  it('sends the bill, its header and the file, and puts the lines into the form', async () => {
    open({ 'v2/Open/LineSheet/read': () => okAnswer(sheet) });
    await give();
    const asked = view.calls.find((call) => call.path === 'v2/Open/LineSheet/read');
    expect(asked?.body).toMatchObject({
      bill: 'sales_outbound',
      block: 'lines',
      header: '{"company_id":2,"warehouse_id":5}',
    });
    expect((asked?.body.excel as File).name).toBe('明细.xlsx');
    expect(store.get().map((line) => line.values)).toMatchObject([
      { goods_id: 11, quantity: '4', price: '455', amount: '1820.00' },
    ]);
    expect(view.told).toMatchObject([{ level: 'success', msg: '已导入1行' }]);
  });

  it('tells row, field and reason of what could not be taken', async () => {
    const problems = [{ row: 3, field: 'quantity', label: '数量', msg: '请输入数字' }];
    open({ 'v2/Open/LineSheet/read': () => okAnswer({ ...sheet, problems }) });
    await give();
    expect(view.told).toMatchObject([
      {
        msg: '已导入1行，1处需要修改',
        noneSucceeded: false,
        failures: [{ index: 1, serial: '第3行', field: '数量', msg: '请输入数字' }],
      },
    ]);
  });

  it('tells that nothing was taken where no row could be', async () => {
    const problems = [{ row: 2, field: 'quantity', label: '数量', msg: '请输入数字' }];
    open({ 'v2/Open/LineSheet/read': () => okAnswer({ lines: [], problems }) });
    await give();
    expect(view.told).toMatchObject([{ msg: '已导入0行，1处需要修改', noneSucceeded: true }]);
  });

  it('leaves the lines as they are when the file is refused', async () => {
    open({ 'v2/Open/LineSheet/read': () => ({ code: 400, msg: '第一行缺少列：数量，请使用下载的模板' }) });
    const before = store.get();
    await give();
    expect(store.get()).toBe(before);
    expect(view.told).toMatchObject([{ level: 'error', msg: '第一行缺少列：数量，请使用下载的模板' }]);
  });

  it('downloads the template of the block', async () => {
    const saved = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
    vi.stubGlobal('URL', Object.assign(URL, { createObjectURL: () => 'blob:x', revokeObjectURL: () => undefined }));
    open({});
    const answer = fetch;
    vi.stubGlobal('fetch', (url: string, init: RequestInit) =>
      url.includes('getTemplate') ? Promise.resolve(new Response('x')) : answer(url, init),
    );
    await pressButton('Excel导入');
    fireEvent.click(await screen.findByText('下载模板'));
    await waitFor(() => expect(saved).toHaveBeenCalled());
    expect((saved.mock.contexts[0] as HTMLAnchorElement).download).toBe('商品明细模板.xlsx');
  });
});
