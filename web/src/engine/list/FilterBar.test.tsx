import { screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { billScreen } from '../fixtures';
import { renderPage } from '../harness';
import { FilterBar } from './FilterBar';

const description = billScreen();
const reasoned = { ...description, fields: description.fields.map((field) => (field.name === 'remark' ? { ...field, search: true } : field)) };
const state = { keyword: '', filters: {}, page: 1 } as never;

let view: ReturnType<typeof renderPage>;
afterEach(() => view.done());

function asked(marks: object, filters: Record<string, string> = {}): (string | null)[] {
  const given = { ...(state as object), filters } as never;
  view = renderPage(<FilterBar screen={{ ...reasoned, ...marks }} state={given} onSearch={() => undefined} onRefresh={() => undefined} />, {});
  return [...document.querySelectorAll('.filter-label')].map(({ textContent }) => textContent);
}
const named = () => screen.getByLabelText('关键字').getAttribute('placeholder');

it('asks for nothing beside the keyword that its box names', () => {
  expect(asked({})).toEqual(['业务日期', '状态', '客户', '仓库']);
  expect(named()).toBe('单据号 / 备注');
});

it('shows what a link narrows by alone', () => {
  expect(asked({}, { bill_no: 'XSCK1' })).toEqual(['单据号', '业务日期', '状态', '客户']);
});

it('asks for each text where the keyword finds something else', () => {
  expect(asked({ found_by: 'customer_id' })).toEqual(['单据号', '业务日期', '状态', '客户']);
  expect(named()).toBe('客户编码 / 名称 / 规格 / 拼音');
});
