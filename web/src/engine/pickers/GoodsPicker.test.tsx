import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stubElementSizes, pageAnswer, pressButton, renderPage } from '../harness';
import GoodsPicker, { type PickedGoods } from './GoodsPicker';
import { goodsColumns, MARK_WIDTH, QUANTITY_WIDTH, GOODS_COLUMNS_WIDTH, sumColumnWidths } from './goodsColumns';

const goods = ['MX205', 'LL215', 'ZZ195'].map((goods_num, at) => ({
  goods_id: 11 + at,
  goods_num,
  goods_name: goods_num,
  barcode: null,
}));
const picked = vi.fn<(rows: PickedGoods[]) => void>();

let view: ReturnType<typeof renderPage>;
beforeEach(() => {
  stubElementSizes();
  view = renderPage(
    <GoodsPicker context={{ bill: 'sales_outbound', header: () => ({}) }} onPick={picked} onClose={() => undefined} />,
    {
      'v2/inventory/Goods/getGoodsListPopup': ({ query }) =>
        pageAnswer(goods.filter((row) => !query.codes || query.codes.split(',').includes(row.goods_num))),
      'v2/system/GoodsBrand/getDropdown': () => pageAnswer([{ brand_id: 5, brand_name: '米其林' }]),
    },
  );
});
afterEach(() => view.done());

describe('picking goods', () => {
  it('takes codes and quantities pasted from a sheet, and tells which it has not found', async () => {
    await screen.findByLabelText('规格');
    fireEvent.paste(window, { clipboardData: { getData: () => '商品编码\t数量\nMX205\t2\nLL215\nMX205\t3\nXX\t1' } });
    await waitFor(() =>
      expect(view.told.at(-1)).toMatchObject({ msg: '已选中2个编码，1个未找到', failures: [{ serial: 'XX' }] }),
    );
    await pressButton('确定（2）');
    expect(picked.mock.lastCall?.[0].map(({ row, quantity }) => [row.goods_num, quantity])).toEqual([
      ['MX205', '5'],
      ['LL215', '1'],
    ]);
  });

  it('leaves a paste of one text to the field it is pasted into', async () => {
    const calls = view.calls.length;
    fireEvent.paste(await screen.findByLabelText('规格'), { clipboardData: { getData: () => '205/55R16' } });
    expect([view.told, view.calls.slice(calls).filter((call) => call.query.codes)]).toEqual([[], []]);
  });

  it('takes what is marked along with what is clicked twice', async () => {
    const rows = await waitFor(() => {
      const found = document.querySelectorAll<HTMLElement>('.goods-picker [data-row-key]');
      if (found.length < 3) throw new Error('no rows');
      return found;
    });
    for (const row of [rows[0]!, rows[1]!]) fireEvent.click(row.querySelector('input[type=checkbox]')!);
    fireEvent.change(screen.getByLabelText('LL215 数量'), { target: { value: '4' } });
    fireEvent.doubleClick(rows[2]!);
    expect(picked.mock.lastCall?.[0].map(({ row, quantity }) => [row.goods_num, quantity])).toEqual([
      ['MX205', '1'],
      ['LL215', '4'],
      ['ZZ195', '1'],
    ]);
  });

  const titles = () => [...document.querySelectorAll('th')].map((one) => one.textContent);

  it('2-routes 3: shows batch, warehouse, location, cost, shorthand and logogram', async () => {
    await screen.findByLabelText('规格');
    for (const title of ['批次', '仓库', '库位', '成本价', '简码', '拼音首字母'])
      expect(titles(), title).toContain(title);
  });

  it('asks for those without a brand by -1', async () => {
    fireEvent.mouseDown(await screen.findByLabelText('品牌'));
    fireEvent.click(await screen.findByText('无品牌'));
    await waitFor(() => expect(view.calls.at(-1)?.query.brand_id).toBe('-1'));
  });
});

describe('what goods are chosen by', () => {
  const needed = ['商品编码', '商品名称', '规格', '单位', '可用库存', '库存', '单价', '最近价'];

  it.each([true, false])('is in sight on a small screen, cost shown: %s', (costly) => {
    const columns = goodsColumns(costly);
    const inSight = columns
      .filter((_, at) => sumColumnWidths(columns.slice(0, at + 1)) <= GOODS_COLUMNS_WIDTH)
      .map(({ title }) => title);
    expect(inSight.filter((title) => needed.includes(String(title)))).toEqual(needed);
    expect(columns.slice(-3).map(({ title }) => title)).toEqual(['厂家编码', '简码', '拼音首字母']);
  });

  it('has room beside the marks and quantities of a dialog at 1366 px', () => {
    const [margins, padding, scrollbar] = [2 * 16, 2 * 24, 16];
    expect(GOODS_COLUMNS_WIDTH + MARK_WIDTH + QUANTITY_WIDTH + scrollbar).toBeLessThanOrEqual(1366 - margins - padding);
  });
});

it('leaves the cost out for whoever may not see it', async () => {
  view.done();
  view = renderPage(
    <GoodsPicker context={{ bill: 'sales_outbound', header: () => ({}) }} onPick={picked} onClose={() => undefined} />,
    {
      'v2/inventory/Goods/getGoodsListPopup': () => pageAnswer([{ ...goods[0], cost_price: '无权限' }]),
    },
  );
  await screen.findAllByText('MX205');
  await waitFor(() =>
    expect([...document.querySelectorAll('th')].map((one) => one.textContent)).not.toContain('成本价'),
  );
});
