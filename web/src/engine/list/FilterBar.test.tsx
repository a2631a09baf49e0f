import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { buildBillScreen } from '../fixtures';
import { stubElementSizes, pageAnswer, renderPage, type RecordedCall } from '../harness';
import { FilterBar } from './FilterBar';
import { splitNames, joinNames } from './listState';

const description = buildBillScreen();
const reasoned = {
  ...description,
  fields: description.fields.map((field) => (field.name === 'remark' ? { ...field, search: true } : field)),
};
const state = { keyword: '', filters: {}, page: 1 } as never;

let view: ReturnType<typeof renderPage>;
afterEach(() => view.done());

function listFilterLabels(marks: object, filters: Record<string, string> = {}): (string | null)[] {
  const given = { ...(state as object), filters } as never;
  view = renderPage(
    <FilterBar
      screen={{ ...reasoned, ...marks }}
      state={given}
      onSearch={() => undefined}
      onRefresh={() => undefined}
    />,
    {},
  );
  return [...document.querySelectorAll('.filter-label')].map(({ textContent }) => textContent);
}
const named = () => screen.getByLabelText('关键字').getAttribute('placeholder');

it('asks for nothing beside the keyword that its box names', () => {
  expect(listFilterLabels({})).toEqual(['业务日期', '状态', '客户', '仓库']);
  expect(named()).toBe('单据号 / 备注');
});

it('says all that a keyword is looked for in', () => {
  listFilterLabels({ keyword: ['单据号', '备注', '客户名称、拼音首字母'] });
  expect(named()).toBe('单据号 / 备注 / 客户名称、拼音首字母');
  expect(screen.getByLabelText('关键字').closest('[title]')?.getAttribute('title')).toContain(
    '查找：单据号 / 备注 / 客户名称、拼音首字母',
  );
});

it('shows what a link narrows by alone', () => {
  expect(listFilterLabels({}, { bill_no: 'XSCK1' })).toEqual(['单据号', '业务日期', '状态', '客户']);
});

it('asks for each text where the keyword finds something else', () => {
  expect(listFilterLabels({ found_by: 'customer_id' })).toEqual(['单据号', '业务日期', '状态', '客户']);
  expect(named()).toBe('客户编码 / 名称 / 规格 / 拼音');
});

describe('names of several chosen', () => {
  const NAMES = ['甲，乙轮胎店', '浦东"一"店', '丙'];
  const CUSTOMERS = NAMES.map((customer_name, at) => ({ customer_id: 8 + at, customer_name }));
  const routes = {
    'v2/test/customer/getDropdown': ({ query }: RecordedCall) =>
      pageAnswer(CUSTOMERS.filter((row) => !query.id || String(row.customer_id) === query.id)),
  };

  /** What is asked for once the customers `chosen` are added to the filters. */
  async function adding(filters: Record<string, string>, ...chosen: string[]) {
    stubElementSizes();
    const asked = vi.fn<(changes: { filters: Record<string, string> }) => void>();
    view = renderPage(
      <FilterBar
        screen={buildBillScreen()}
        state={{ keyword: '', filters, page: 1 } as never}
        onSearch={asked as never}
        onRefresh={() => undefined}
      />,
      routes,
    );
    const count = filters.customer_id?.split(',').length ?? 0;
    await waitFor(() =>
      expect(view.calls.filter(({ query }) => query.id)).toHaveLength(
        filters.customer_id && !splitNames(filters.customer_id__label, count).length ? count : 0,
      ),
    );
    fireEvent.mouseDown(screen.getByRole('combobox', { name: '客户' }));
    for (const name of chosen) {
      const now = performance.now();
      await waitFor(() => expect(performance.now() - now).toBeGreaterThan(120));
      fireEvent.click(await screen.findByText(name, { selector: '.ant-select-item-option-content' }));
    }
    fireEvent.submit(screen.getByRole('search'));
    return asked.mock.lastCall![0].filters;
  }
  const namesOf = ({ customer_id: keys, customer_id__label: names }: Record<string, string>) =>
    splitNames(names, keys!.split(',').length);

  it('are whole, whatever stands in them, and are so again when the list is opened once more', async () => {
    const filters = await adding({}, ...NAMES.slice(0, 2));
    expect([filters.customer_id, namesOf(filters)]).toEqual(['8,9', NAMES.slice(0, 2)]);
    view.done();
    const more = await adding(filters, NAMES[2]!);
    expect([more.customer_id, namesOf(more)]).toEqual(['8,9,10', NAMES]);
  });

  it('are asked for where the keys alone are told', async () => {
    const filters = await adding({ customer_id: '8,9', customer_id__label: '甲，乙轮胎店，浦东"一"店' }, NAMES[2]!);
    expect(namesOf(filters)).toEqual(NAMES);
  });

  it('of one it is as a link tells it', () => {
    expect([
      joinNames(['甲，乙轮胎店']),
      splitNames('甲，乙轮胎店', 1),
      splitNames('["甲"]', 1),
      splitNames('["甲"]', 2),
    ]).toEqual(['甲，乙轮胎店', ['甲，乙轮胎店'], ['["甲"]'], []]);
  });
});
