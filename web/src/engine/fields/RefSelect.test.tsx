import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { buildRefField } from '../fixtures';
import { stubElementSizes, okAnswer, pageAnswer, renderPage, type FakeRoutes } from '../harness';
import type { Ref } from '../types';
import { RefSelect } from './RefSelect';

const PATH = 'v2/test/customer/getDropdown';
const ref: Partial<Ref> = { search: ['customer_name', 'contact_name', 'customer_mobile'] };
const CUSTOMERS = [
  { customer_id: 31, customer_name: '上海顺达', contact_name: '周敏', customer_mobile: '13800001111' },
  { customer_id: 47, customer_name: '杭州远征', contact_name: '李强', customer_mobile: '13922223333' },
];

function show(marks: Partial<Ref>, routes: FakeRoutes, multiple = false) {
  const onChange = vi.fn();
  const field = buildRefField('customer_id', '客户', 'customer', 'customer_name', { ref: { ...ref, ...marks } as Ref });
  const page = renderPage(
    <RefSelect
      field={field as never}
      value={multiple ? [] : null}
      label={null}
      multiple={multiple}
      onChange={onChange}
    />,
    routes,
  );
  const box = screen.getByRole('combobox');
  fireEvent.mouseDown(box);
  const offered = () => [...document.querySelectorAll('.ant-select-item-option')].map((option) => option.textContent);
  return { ...page, onChange, box, offered };
}

let done = () => {};
beforeEach(stubElementSizes);
afterEach(() => {
  done();
  vi.unstubAllGlobals();
});

describe('A customer search in coupon or to-shop mode filters the cached list locally by id, name, contact or mobile', () => {
  it.each([
    ['31', '上海顺达'],
    ['远征', '杭州远征'],
    ['周敏', '上海顺达'],
    ['2222', '杭州远征'],
  ])('%s finds %s', async (words, name) => {
    const view = show({ at_once: true }, { [PATH]: () => pageAnswer(CUSTOMERS) });
    done = view.done;
    await waitFor(() => expect(view.offered()).toHaveLength(2));
    fireEvent.change(view.box, { target: { value: words } });
    expect(view.offered()).toEqual([name]);
    expect(view.calls.map((call) => call.query.is_coupon)).toEqual(['1']);
  });

  it('asks the server for more customers than come at once', async () => {
    const more = { data: CUSTOMERS, total: 5000, current_page: 1, per_page: 2000, last_page: 3 };
    const view = show(
      { at_once: true },
      { [PATH]: ({ query }) => (query.is_coupon ? okAnswer(more) : pageAnswer(CUSTOMERS.slice(1))) },
    );
    done = view.done;
    await waitFor(() => expect(view.offered()).toEqual(['杭州远征']));
  });
});

it('Select change debounce 100 ms', async () => {
  const view = show({}, { [PATH]: () => pageAnswer(CUSTOMERS) }, true);
  done = view.done;
  await waitFor(() => expect(view.offered()).toHaveLength(2));
  const now = vi.spyOn(performance, 'now').mockReturnValue(1000);
  const pick = (name: string) =>
    act(() => fireEvent.click(screen.getByText(name, { selector: '.ant-select-item-option-content' })));
  pick('上海顺达');
  now.mockReturnValue(1099);
  pick('杭州远征');
  expect(view.onChange.mock.calls.map(([keys]) => keys as unknown)).toEqual([[31]]);
  now.mockReturnValue(1100);
  pick('杭州远征');
  expect(view.onChange.mock.calls.map(([keys]) => keys as unknown)).toEqual([[31], [47]]);
  now.mockRestore();
});

it('3-rules 5.3: customer picker text maximum length 100', async () => {
  const view = show({}, { [PATH]: () => pageAnswer(CUSTOMERS) });
  done = view.done;
  fireEvent.change(view.box, { target: { value: '客'.repeat(101) } });
  expect((view.box as HTMLInputElement).value).toHaveLength(100);
  await waitFor(() => expect(view.calls.at(-1)?.query.keyword).toHaveLength(100), { timeout: 3000 });
});

it('3-rules 5.3: pickers treat a value of 0 as empty', () => {
  const field = buildRefField('customer_id', '客户', 'customer', 'customer_name', { ref: { ...ref } as Ref });
  const view = renderPage(<RefSelect field={field as never} value={0} label="上海顺达" onChange={vi.fn()} />, {});
  done = view.done;
  expect(screen.getByText('请选择客户')).toBeTruthy();
  expect(screen.queryByText('上海顺达')).toBeNull();
});

it('offers what is out of use where debts outlive trade, and says so', async () => {
  const gone = { ...CUSTOMERS[1]!, enabled: false };
  const view = show({ disabled: true }, { [PATH]: () => pageAnswer([CUSTOMERS[0], gone]) });
  done = view.done;
  await waitFor(() => expect(view.offered()).toEqual(['上海顺达', '杭州远征（已停用）']));
  expect(view.calls.map((call) => call.query.disabled)).toEqual(['1']);
  fireEvent.click(screen.getByText('杭州远征（已停用）'));
  expect(view.onChange).toHaveBeenCalledWith(47, '杭州远征', gone, []);
});

describe('a link that tells the key alone', () => {
  const linked = (value: unknown, label: unknown) => {
    const field = buildRefField('customer_id', '客户', 'customer', 'customer_name', { ref: { ...ref } as Ref });
    const view = renderPage(
      <RefSelect
        field={field as never}
        value={value}
        label={label}
        multiple={Array.isArray(value)}
        onChange={vi.fn()}
      />,
      {
        [PATH]: ({ query }) => pageAnswer(CUSTOMERS.filter(({ customer_id }) => String(customer_id) === query.id)),
      },
    );
    done = view.done;
    return view;
  };

  it('is shown by the name of its record', async () => {
    linked(47, '');
    expect(await screen.findByText('杭州远征')).toBeTruthy();
  });

  it('is asked for among several, too', async () => {
    const view = linked([47], '');
    await waitFor(() => expect(view.calls.map(({ query }) => query.id)).toEqual(['47']));
  });

  it('is shown by its key where there is no such record', async () => {
    const view = linked(99, undefined);
    await waitFor(() => expect(view.calls).toHaveLength(1));
    expect(await screen.findByText('99')).toBeTruthy();
  });

  it('says that nobody is asked for, or what the link calls it, without asking', () => {
    const view = linked(-1, '');
    expect(screen.getByText('无客户')).toBeTruthy();
    view.done();
    const named = linked(47, '远征');
    expect(screen.getByText('远征')).toBeTruthy();
    expect([...view.calls, ...named.calls]).toEqual([]);
  });
});

describe('what else pickers are written to do', () => {
  const offer = (marks: Partial<Ref>, resource: string, label: string, routes: FakeRoutes, withNone = false) => {
    const onChange = vi.fn();
    const field = buildRefField(`${resource}_id`, label, resource, `${resource}_name`, { ref: { ...marks } as Ref });
    const view = renderPage(
      <RefSelect field={field as never} value={[]} label={null} multiple allowNone={withNone} onChange={onChange} />,
      routes,
    );
    done = view.done;
    fireEvent.mouseDown(screen.getByRole('combobox'));
    return { ...view, onChange };
  };
  const names = () => [...document.querySelectorAll('.ant-select-item-option')].map((option) => option.textContent);

  it('2-routes 3: brand_id -1 means no brand, where brands are asked for', async () => {
    const brands = pageAnswer([{ brand_id: 5, brand_name: '米其林' }]);
    const { onChange } = offer({ none: -1 }, 'brand', '品牌', { 'v2/test/brand/getDropdown': () => brands }, true);
    await waitFor(() => expect(names()).toEqual(['米其林', '无品牌']));
    fireEvent.click(screen.getByText('无品牌'));
    expect(onChange).toHaveBeenCalledWith([-1], null, null, ['无品牌']);
    fireEvent.change(screen.getByRole('combobox'), { target: { value: '品' } });
    await waitFor(() => expect(names()).toEqual(['米其林']), { timeout: 3000 });
  });

  it('2-routes 3: a warehouse of type 1 is highlighted', async () => {
    const rows = [
      { warehouse_id: 1, warehouse_name: '主仓', type: 1 },
      { warehouse_id: 2, warehouse_name: '残次仓', type: 2 },
    ];
    offer({}, 'warehouse', '仓库', { 'v2/test/warehouse/getDropdown': () => pageAnswer(rows) });
    await waitFor(() => expect(names()).toEqual(['主仓', '残次仓']));
    expect([...document.querySelectorAll('.for-sale')].map((one) => one.textContent)).toEqual(['主仓']);
  });

  it('2-routes 3: goods types are three levels, lazily loaded by p_id', async () => {
    const node = (id: number, name: string, level: number, is_leaf: boolean) => ({
      goods_type_id: id,
      goods_type_name: name,
      level,
      is_leaf,
      sub: [],
    });
    const below: Record<string, unknown[]> = {
      0: [node(1, '轮胎', 1, false), node(2, '机油', 1, true)],
      1: [node(3, '卡客车胎', 2, false)],
      3: [node(4, '全钢胎', 3, true)],
    };
    const { calls, onChange } = offer({}, 'goods_type', '商品类型', {
      'open/GoodsType/getGoodsTypeList': ({ query }) => okAnswer(below[query.p_id!] ?? []),
    });
    await waitFor(() => expect(names()).toEqual(['轮胎', '机油']));
    fireEvent.click(screen.getByRole('button', { name: '展开轮胎' }));
    fireEvent.click(await screen.findByRole('button', { name: '展开卡客车胎' }));
    await waitFor(() => expect(names()).toEqual(['轮胎', '卡客车胎', '全钢胎', '机油']));
    expect(calls.filter(({ path }) => path.includes('getGoodsTypeList')).map(({ query }) => query.p_id)).toEqual([
      '0',
      '1',
      '3',
    ]);
    expect(onChange).not.toHaveBeenCalled();
    fireEvent.click(screen.getByText('全钢胎'));
    expect(onChange).toHaveBeenCalledWith([4], null, null, ['全钢胎']);
  });
});
