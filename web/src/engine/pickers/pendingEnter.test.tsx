import { act, fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { goodsLineFields, pricing, buildRefField } from '../fixtures';
import { createStore, useStore } from '../../lib/store';
import { stubElementSizes, pageAnswer, renderPage, type RecordedCall, type FakeRoutes } from '../harness';
import { createLineStore } from '../lines/lineStore';
import { LineTable } from '../lines/LineTable';
import { RefSelect } from '../fields/RefSelect';
import type { RefField } from '../types';

/** Enter in pickers while answers are late, overtake each other, or never come. */

const NEVER = Infinity;
const STEP = 50;
const CUSTOMERS = ['顺达汽配', '上海顺达', '顺达', '杭州远征', '远征轮胎', '双喜', '双喜', '安捷'].map(
  (customer_name, at) => ({ customer_id: at + 1, customer_name }),
);
const GOODS = ['A1', 'A12', 'A123', 'B7', 'B77', 'C205', 'C2055', 'D9'].map((goods_num, at) => ({
  goods_id: at + 1,
  goods_num,
  goods_name: `轮胎${at}`,
  unit_price: '100',
  available_stocks: '5',
}));
const WORDS = ['顺达', '上海', '上海顺达', '远征', '杭州远', '双喜', '安捷', '没有', '达'];
const CODES = ['A1', 'A12', 'A', 'B', 'B77', 'C2', 'D', 'D9', 'Z'];

/** The same numbers for the same seed. */
function random(seed: number) {
  let state = seed * 2654435761 + 1;
  return (below: number) => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 3266489917) >>> 0;
    return state % below;
  };
}

/** Of the words the one record that they name: by its name, or because it is the only one there is. */
function named(records: { id: number; names: string[] }[], words: string): number | null {
  const exact = records.filter(({ names }) => names.includes(words));
  const found = exact.length > 0 ? exact : records.filter(({ names }) => names.some((name) => name.includes(words)));
  return found.length === 1 ? found[0]!.id : null;
}

const customers = CUSTOMERS.map((row) => ({ id: row.customer_id, names: [row.customer_name] }));
const goods = GOODS.map((row) => ({ id: row.goods_id, names: [row.goods_num, row.goods_name] }));

/** A server that takes its time over each question. */
function slow<T extends object>(rows: T[], field: (row: T) => string[], delay: (call: RecordedCall) => number) {
  return (call: RecordedCall) => {
    const { codes, keyword = '' } = call.query;
    const answer = pageAnswer(
      rows.filter((row) => field(row).some((text) => (codes === undefined ? text.includes(keyword) : text === codes))),
    );
    const late = delay(call);
    return new Promise<typeof answer>((resolve) => late < NEVER && setTimeout(() => resolve(answer), late));
  };
}

/** In steps, since what a timer changes is drawn when the step is over. */
async function pass(milliseconds: number, step = STEP) {
  for (let left = milliseconds; left > 0; left -= step)
    await act(() => vi.advanceTimersByTimeAsync(Math.min(step, left)));
}

let done = () => {};
beforeEach(() => {
  stubElementSizes();
  vi.useFakeTimers();
});
afterEach(() => {
  done();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const PATH = 'v2/test/customer/getDropdown';
const field = buildRefField('customer_id', '客户', 'customer', 'customer_name') as RefField;

function head(delay: (call: RecordedCall) => number, multiple = false) {
  const onChange = vi.fn();
  const onEntered = vi.fn();
  const routes: FakeRoutes = { [PATH]: slow(CUSTOMERS, (row) => [row.customer_name], delay) };
  const view = renderPage(
    <RefSelect
      field={field}
      value={multiple ? [] : null}
      label={null}
      multiple={multiple}
      onChange={onChange}
      onKeyboardChoice={onEntered}
    />,
    routes,
  );
  done = view.done;
  const box = screen.getByRole<HTMLInputElement>('combobox');
  act(() => box.focus());
  const type = (words: string) => fireEvent.change(box, { target: { value: words } });
  const press = (key: string) =>
    act(() =>
      fireEvent.keyDown(document.activeElement!, {
        key,
        code: key,
        keyCode: key === 'Enter' ? 13 : key === 'Tab' ? 9 : 40,
      }),
    );
  const offered = () => [...document.querySelectorAll('.ant-select-item-option')].map((option) => option.textContent);
  return { ...view, onChange, onEntered, box, type, press, offered };
}

function grid(delay: (call: RecordedCall) => number) {
  const store = createLineStore(goodsLineFields, []);
  const block = {
    name: 'lines',
    label: '商品明细',
    fields: goodsLineFields,
    required: true,
    source: null,
    takes_available: true,
  };
  const context = { bill: 'sales_outbound', header: () => ({ company_id: 2 }) };
  const routes: FakeRoutes = {
    'v2/inventory/Goods/getGoodsListPopup': slow(GOODS, (row) => [row.goods_num, row.goods_name], delay),
  };
  const view = renderPage(
    <LineTable name="test" block={block} pricing={pricing} store={store} context={context} />,
    routes,
  );
  done = view.done;
  const input = screen.getByLabelText<HTMLInputElement>(/^第\d+行 /);
  act(() => input.focus());
  const type = (words: string) => fireEvent.change(input, { target: { value: words } });
  const press = (key: string) =>
    act(() => fireEvent.keyDown(input, { key, code: key, keyCode: key === 'Enter' ? 13 : 0 }));
  return { ...view, store, input, type, press, chosen: () => store.get()[0]?.values.goods_id ?? null };
}

describe('Enter chooses what the words name, whatever answers come when', () => {
  it.each(Array.from({ length: 40 }, (_, seed) => seed))('in a head, seed %i', async (seed) => {
    const draw = random(seed);
    const delays = [0, 30, 700, 3000];
    const view = head(() => delays[draw(delays.length)]!);
    if (draw(2)) fireEvent.mouseDown(view.box);
    await pass(draw(2000));
    const words = WORDS[draw(WORDS.length)]!;
    // Words on the way to the last ones are asked for as well, and their answers may come after those of the last.
    for (let length = 1; length <= words.length; length++) {
      view.type(words.slice(0, length));
      await pass(draw(3) * 300);
    }
    view.type(words);
    await pass(draw(450));
    const unread = view.offered().length === 0;
    view.press('Enter');
    await pass(8000);
    const expected = named(customers, words);
    const [first] = view.onChange.mock.calls as [number][];
    if (first) expect(CUSTOMERS[first[0] - 1]!.customer_name).toContain(words);
    if (unread) expect(first?.[0] ?? null).toBe(expected);
    if (expected !== null) expect(first?.[0]).toBe(expected);
    expect(view.onChange.mock.calls.length).toBeLessThanOrEqual(1);
  });

  it.each(Array.from({ length: 25 }, (_, seed) => seed))('in a grid, seed %i', async (seed) => {
    const draw = random(seed + 1000);
    const delays = [0, 30, 700, 3000];
    const view = grid(() => delays[draw(delays.length)]!);
    const words = CODES[draw(CODES.length)]!;
    for (let length = 1; length <= words.length; length++) {
      view.type(words.slice(0, length));
      await pass(draw(3) * 300);
    }
    view.type(words);
    await pass(draw(450));
    const unread = document.querySelectorAll('.choice:not(.heading)').length === 0;
    view.press('Enter');
    await pass(8000);
    const expected = named(goods, words);
    if (view.chosen() !== null) expect(GOODS[Number(view.chosen()) - 1]!.goods_num).toContain(words);
    if (unread || expected !== null) expect(view.chosen()).toBe(expected);
  });
});

describe('what is taken answers the surroundings that it is taken into', () => {
  const COMPANIES = [2, 3];
  const LONG = 500;
  /** Both companies have a customer of most names, and each its own prices and stock. */
  const theirs = COMPANIES.flatMap((company_id) =>
    CUSTOMERS.slice(0, company_id === 2 ? 8 : 5).map((row) => ({
      ...row,
      customer_id: row.customer_id + company_id * 100,
      company_id,
    })),
  );

  it.each(Array.from({ length: 15 }, (_, seed) => seed))('in a head whose company changes, seed %i', async (seed) => {
    const draw = random(seed + 2000);
    const delays = [0, 30, 700, 3000];
    const company = createStore(2);
    const taken: { customer: number; company: number }[] = [];
    const Head = () => (
      <RefSelect
        field={field}
        value={null}
        label={null}
        narrow={{ company_id: useStore(company, (id) => id) }}
        onChange={(id) => taken.push({ customer: Number(id), company: company.get() })}
      />
    );
    const answer = (call: RecordedCall) =>
      slow(
        theirs.filter((row) => String(row.company_id) === call.query.company_id),
        (row) => [row.customer_name],
        () => delays[draw(delays.length)]!,
      )(call);
    const view = renderPage(<Head />, { [PATH]: answer });
    done = view.done;
    const box = screen.getByRole<HTMLInputElement>('combobox');
    act(() => box.focus());
    const words = WORDS[draw(WORDS.length)]!;
    fireEvent.change(box, { target: { value: words } });
    await pass(draw(450));
    act(() => fireEvent.keyDown(box, { key: 'Enter', code: 'Enter', keyCode: 13 }));
    for (let left = 1 + draw(2); left > 0; left--) {
      await pass(draw(1500));
      act(() => company.set((id) => 5 - id));
    }
    await pass(10_000, LONG);
    const fitting = named(
      theirs
        .filter((row) => row.company_id === company.get())
        .map((row) => ({ id: row.customer_id, names: [row.customer_name] })),
      words,
    );
    for (const one of taken) expect(Math.floor(one.customer / 100)).toBe(one.company);
    // What one company had none of has been said, although the next one has it.
    if (taken.length === 0 && view.told.length === 0) expect(fitting).toBeNull();
    expect(taken.length).toBeLessThanOrEqual(1);
  });

  it.each(Array.from({ length: 15 }, (_, seed) => seed))(
    'in the lines of a bill whose warehouse and customer change, seed %i',
    async (seed) => {
      const draw = random(seed + 3000);
      const delays = [0, 30, 700, 3000];
      const header = createStore({ company_id: 2, warehouse_id: 1, customer_id: 1 });
      const store = createLineStore(goodsLineFields, []);
      const block = {
        name: 'lines',
        label: '商品明细',
        fields: goodsLineFields,
        required: true,
        source: null,
        takes_available: true,
      };
      const answer = ({ query, ...call }: RecordedCall) => {
        const rows = GOODS.map((row) => ({
          ...row,
          available_stocks: `${query.warehouse_id}0`,
          unit_price: `${query.customer_id}00`,
          last_price: `${query.customer_id}00`,
          price_source: '上次价',
        }));
        return slow(
          rows,
          (row) => [row.goods_num, row.goods_name],
          () => delays[draw(delays.length)]!,
        )({ ...call, query });
      };
      const view = renderPage(
        <LineTable
          name="test"
          block={block}
          pricing={pricing}
          store={store}
          context={{ bill: 'sales_outbound', header: header.get }}
        />,
        { 'v2/inventory/Goods/getGoodsListPopup': answer },
      );
      done = view.done;
      const wrong: unknown[] = [];
      store.subscribe(() => {
        const { goods_id: id, available_stocks: stock, last_price: last, price } = store.get()[0]!.values;
        const { warehouse_id: warehouse, customer_id: customer } = header.get();
        if (id && wrong.length === 0)
          wrong.push([stock, last, price], [`${warehouse}0`, `${customer}00`, `${customer}00`]);
      });
      const scans = draw(2) === 1;
      const box = scans
        ? screen.getByLabelText<HTMLInputElement>('扫码')
        : screen.getByLabelText<HTMLInputElement>(/^第\d+行 /);
      act(() => box.focus());
      fireEvent.change(box, { target: { value: 'D9' } });
      await pass(draw(450));
      act(() => fireEvent.keyDown(box, { key: 'Enter', code: 'Enter', keyCode: 13 }));
      await pass(draw(1500));
      act(() => header.set((now) => ({ ...now, [draw(2) ? 'warehouse_id' : 'customer_id']: 2 })));
      await pass(10_000, LONG);
      expect(wrong).toHaveLength(2);
      expect(wrong[0]).toEqual(wrong[1]);
    },
  );
});

describe('a head', () => {
  it('never takes the first of all customers for a name that was typed and entered at once', async () => {
    const view = head(() => 3000);
    fireEvent.mouseDown(view.box);
    await pass(3200);
    expect(view.offered()).toHaveLength(CUSTOMERS.length);
    view.type('杭州远征');
    expect(view.offered()).toEqual([]);
    view.press('Enter');
    await pass(2900);
    expect(view.onChange).not.toHaveBeenCalled();
    await pass(200);
    expect(view.onChange.mock.calls.map(([id]) => id as unknown)).toEqual([4]);
    expect(view.onEntered).toHaveBeenCalledTimes(1);
  });

  it('opens the list where the words fit several, of which the next Enter takes the marked one', async () => {
    const view = head(() => 100);
    view.type('顺');
    view.press('Enter');
    await pass(400);
    expect([view.onChange.mock.calls.length, view.onEntered.mock.calls.length]).toEqual([0, 0]);
    expect(view.offered()).toEqual(['顺达汽配', '上海顺达', '顺达']);
    fireEvent.keyUp(view.box, { key: 'Enter' });
    view.press('Enter');
    expect(view.onChange.mock.calls.map(([id]) => id as unknown)).toEqual([1]);
    expect(view.onEntered).toHaveBeenCalledTimes(1);
  });

  it('chooses none of two that are called the same, nor a row that nobody can have read', async () => {
    const view = head(() => 100);
    view.type('双喜');
    await pass(700);
    expect(view.offered()).toEqual(['双喜', '双喜']);
    view.press('Enter');
    await pass(1000);
    expect(view.onChange).not.toHaveBeenCalled();
    expect(view.offered()).toEqual(['双喜', '双喜']);
  });

  it('marks the one that is called so before those that are only called alike', async () => {
    const view = head(() => 0);
    view.type('顺达');
    await pass(1000);
    expect(view.offered()).toEqual(['顺达', '顺达汽配', '上海顺达']);
  });

  it('says so where no answer comes, and has chosen nothing', async () => {
    const view = head(() => NEVER);
    view.type('安捷');
    view.press('Enter');
    await pass(9900);
    expect(view.told).toEqual([]);
    await pass(200);
    expect(view.told.map(({ msg }) => msg)).toEqual(['服务器没有应答，客户“安捷”没有选上']);
    expect(view.onChange).not.toHaveBeenCalled();
    expect(view.box.value).toBe('安捷');
  });

  it('says what it did not find', async () => {
    const view = head(() => 10);
    view.type('没有这家');
    view.press('Enter');
    await pass(100);
    expect(view.told.map(({ msg }) => msg)).toEqual(['未找到客户：没有这家']);
    expect(view.onChange).not.toHaveBeenCalled();
  });

  it('forgets an Enter whose words are typed on, or that Escape gives up', async () => {
    const view = head(() => 1000);
    view.type('安捷');
    view.press('Enter');
    await pass(100);
    view.type('安捷通');
    await pass(3000);
    expect(view.onChange).not.toHaveBeenCalled();
    view.type('安捷');
    view.press('Enter');
    view.press('Escape');
    await pass(3000);
    expect(view.onChange).not.toHaveBeenCalled();
  });

  it('takes a name that is left with Tab like one that is entered, and nothing where none was typed', async () => {
    const view = head(() => 500);
    fireEvent.mouseDown(view.box);
    await pass(1000);
    expect(view.offered()).toHaveLength(CUSTOMERS.length);
    view.press('Tab');
    expect(view.onChange).not.toHaveBeenCalled();
    view.type('远征轮');
    view.press('Tab');
    await pass(1000);
    expect(view.onChange.mock.calls.map(([id]) => id as unknown)).toEqual([5]);
  });

  it('adds to a filter what is entered, too', async () => {
    const view = head(() => 500, true);
    view.type('安捷');
    view.press('Enter');
    await pass(1000);
    expect(view.onChange.mock.calls.map(([ids]) => ids as unknown)).toEqual([[8]]);
  });
});

describe('a grid', () => {
  it('keeps what is typed behind a code until the code has its goods', async () => {
    const view = grid(() => 3000);
    view.type('D9');
    view.press('Enter');
    for (const key of ['4', 'Enter', '8', '8', 'Enter']) view.press(key);
    await pass(2900);
    expect(view.store.get()[0]?.values.goods_id).toBeUndefined();
    await pass(500);
    expect(view.store.get()[0]?.values).toMatchObject({ goods_id: 8, quantity: '4', price: '88' });
  });

  it('drops what is typed behind words that name no goods', async () => {
    const view = grid(() => 1000);
    view.type('A');
    view.press('Enter');
    for (const key of ['4', 'Enter']) view.press(key);
    await pass(3000);
    expect(view.store.get().map((line) => line.values.goods_id)).toEqual([undefined]);
    expect(view.input.value).toBe('A');
    expect(document.querySelectorAll('.choice:not(.heading)')).toHaveLength(3);
  });

  it('lets no earlier look-up overtake what was typed after it', async () => {
    const delays: Record<string, number> = { B77: 3000, D9: 200 };
    const view = grid(({ query }) => delays[query.keyword!] ?? 0);
    view.type('B77');
    view.press('Enter');
    await pass(100);
    fireEvent.pointerDown(document.body);
    view.type('D9');
    view.press('Enter');
    await pass(5000);
    expect(view.chosen()).toBe(8);
  });

  it('tells a save that words came to nothing', async () => {
    const view = grid(() => 100);
    view.type('A');
    view.press('Enter');
    const whole = view.store.whenIdle();
    await pass(1000);
    expect(await whole).toBe(false);
    expect(await view.store.whenIdle()).toBe(true);
  });
});

describe('a scan box', () => {
  it('takes codes in their order however their answers come, and says which got none', async () => {
    const delays: Record<string, number> = { B77: 3000, D9: 0, A12: NEVER, C205: 10 };
    const view = grid(({ query }) => delays[query.codes!] ?? 0);
    const box = screen.getByLabelText<HTMLInputElement>('扫码');
    act(() => box.focus());
    for (const code of ['B77', 'D9', 'A12', 'C205']) {
      fireEvent.change(box, { target: { value: code } });
      fireEvent.keyDown(box, { key: 'Enter', code: 'Enter' });
    }
    await pass(2500);
    expect(view.chosen()).toBeNull();
    await pass(12_000);
    const scanned = view.store.get().map((line) => line.values.goods_num);
    expect(scanned.filter(Boolean)).toEqual(['B77', 'D9', 'C205']);
    expect(view.told.map(({ msg }) => msg)).toEqual(['服务器没有应答，商品“A12”没有选上']);
  });
});
