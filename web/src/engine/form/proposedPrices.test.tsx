import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildBillScreen, buildRefField } from '../fixtures';
import { stubElementSizes, okAnswer, pageAnswer, renderPage, type FakeRoutes } from '../harness';
import { labelKey } from '../list/listState';
import { listChangedFields } from './proposedPrices';
import FormPage from './FormPage';

/** Prices that were proposed for a bill's head, when that head changes. */

type Head = [name: string, label: string, resource: string, title: string];
const HEADS: Head[] = [
  ['customer_id', '客户', 'customer', 'customer_name'],
  ['supplier_id', '供应商', 'supplier', 'supplier_name'],
  ['warehouse_id', '仓库', 'warehouse', 'warehouse_name'],
  ['company_id', '公司', 'company', 'company_name'],
];
const POPUP = 'v2/inventory/Goods/getGoodsListPopup';
const GOODS = [
  { goods_id: 11, goods_num: 'MX205', goods_name: '米其林', tax_rate: '13' },
  { goods_id: 12, goods_num: 'LL215', goods_name: '玲珑', tax_rate: '13' },
];
const former = { unit_price: '497.5', price_source: '上次价', last_price: '497.5' };
const later = { unit_price: '520', price_source: '商品售价', last_price: null };

let view: ReturnType<typeof renderPage>;
beforeEach(stubElementSizes);
afterEach(() => view.done());

const save = () => fireEvent.keyDown(window, { key: 's', ctrlKey: true });
const columnTexts = (name: string) =>
  [...document.querySelectorAll(`.grid-body [data-field=${name}]`)].map(({ textContent }) => textContent);

/** A bill of two goods at the former prices, the second's typed over; `price` is what 2 in the head answers. */
async function begin([name, label, resource, title]: Head, price: () => object | Promise<object>) {
  const description = buildBillScreen({ kind: 'add' });
  const fields = [
    ...description.fields.filter((field) => !['customer_id', 'warehouse_id'].includes(field.name)),
    buildRefField(name, label, resource, title),
  ];
  const routes: FakeRoutes = {
    [POPUP]: async ({ query }) => {
      const prices = query[name] === '2' ? await price() : former;
      if ('code' in prices) return prices as never;
      return pageAnswer(
        GOODS.filter((row) => query.codes?.split(',').includes(row.goods_num) ?? row.goods_num === query.keyword).map(
          (row) => ({ ...row, ...prices }),
        ),
      );
    },
    [`v2/test/${resource}/getDropdown`]: () => pageAnswer([{ [`${resource}_id`]: 2, [title]: '后者' }]),
    [`${description.api}/add`]: () => okAnswer({ id: 21 }),
  };
  view = renderPage(
    <FormPage
      screen={{ ...description, fields }}
      id={null}
      copyOf={null}
      from={null}
      presetValues={{ [name]: '1', [labelKey(name)]: '前者' }}
    />,
    routes,
  );
  const cell = () => screen.getByLabelText<HTMLInputElement>(/^第\d+行 /);
  act(() => cell().focus());
  await userEvent.keyboard('MX205{Enter}');
  await waitFor(() => expect(columnTexts('price')[0]).toBe('497.50'));
  await userEvent.keyboard('{Control>}{Enter}{/Control}LL215{Enter}');
  await waitFor(() => expect(columnTexts('price')[1]).toBe('497.50'));
  await userEvent.keyboard('{Alt>}3{/Alt}480{Enter}');
  await waitFor(() => expect(columnTexts('price')).toEqual(['497.50', '480.00']));
  return { sent: () => view.calls.filter(({ path }) => path === `${description.api}/add`) };
}

async function change(label: string) {
  fireEvent.mouseDown(screen.getByRole('combobox', { name: label }));
  fireEvent.click(await screen.findByText('后者', { selector: '.ant-select-item-option-content' }));
}

describe('prices that were proposed', () => {
  it.each(HEADS)('are proposed anew when the head changes: %s; one that was typed stays', async (...head) => {
    const { sent } = await begin(head, () => later);
    await change(head[1]);
    await waitFor(() => expect(columnTexts('price')).toEqual(['520.00', '480.00']));
    expect(columnTexts('last_price')).toEqual(['', '']);
    const partner = ['客户', '供应商'].includes(head[1]) ? '。1行单价是手工录入或原有的，没有改动' : '';
    expect(view.told.map(({ msg }) => msg)).toEqual([
      `已按新的${head[1]}重新带出1行单价：没有上次价，取商品售价1行${partner}`,
    ]);
    save();
    await waitFor(() => expect(sent()).toHaveLength(1));
    expect((sent()[0]!.body.lines as { price: string }[]).map(({ price }) => price)).toEqual(['520', '480']);
  });

  it('are the new ones in what is saved, although they come late', async () => {
    let answer: (prices: object) => void = () => undefined;
    const { sent } = await begin(HEADS[0]!, () => new Promise<object>((resolve) => (answer = resolve)));
    await change('客户');
    await waitFor(() => expect(view.calls.at(-1)?.query).toMatchObject({ customer_id: '2', codes: 'MX205,LL215' }));
    save();
    await new Promise((passed) => setTimeout(passed, 100));
    expect(sent()).toHaveLength(0);
    act(() => answer({ ...former, unit_price: '430', last_price: '430' }));
    await waitFor(() => expect(sent()).toHaveLength(1));
    expect((sent()[0]!.body.lines as { price: string }[]).map(({ price }) => price)).toEqual(['430', '480']);
    expect(view.told[0]?.msg).toBe('已按新的客户重新带出1行单价：上次价1行。1行单价是手工录入或原有的，没有改动');
  });

  it('leave the cell empty where there is none for the new head', async () => {
    await begin(HEADS[0]!, () => ({ unit_price: null, price_source: null, last_price: null }));
    await change('客户');
    await waitFor(() => expect(columnTexts('price')).toEqual(['', '480.00']));
    expect(view.told[0]?.msg).toContain('已按新的客户重新带出1行单价：没有可带出的价格1行');
  });

  it('that could not be asked for are told, and not saved before that', async () => {
    const { sent } = await begin(HEADS[0]!, () => ({ code: 400, msg: '忙', data: null }));
    await change('客户');
    save();
    await waitFor(() => expect(view.told.map(({ msg }) => msg)).toContain('单价没有重新带出，仍是变更前的，请核对'));
    expect(sent()).toHaveLength(0);
  });
});

it('prices follow company, warehouse, partner and day, and nothing else of a narrowing', () => {
  const before = {
    bill_type: 'sales_outbound',
    company_id: 2,
    warehouse_id: 1,
    customer_id: 1,
    business_date: '2026-11-01',
  };
  const changed = (changes: object) =>
    listChangedFields(JSON.stringify(before), JSON.stringify({ ...before, ...changes }));
  expect(changed({ business_date: '2026-11-02', warehouse_id: 3 })).toEqual(['warehouse_id', 'business_date']);
  expect(changed({ customer_id: undefined, company_id: 3 })).toEqual(['company_id', 'customer_id']);
  expect(changed({ order_line_ids: '5' })).toEqual([]);
});
