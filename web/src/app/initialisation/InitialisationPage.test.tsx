import { screen as page, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { buildBillScreen, buildRefField } from '@/engine/fixtures';
import { stubElementSizes, okAnswer, pageAnswer as paged, pressButton, renderPage } from '@/engine/harness';
import { setSession } from '@/lib/session';
import InitialisationPage from './InitialisationPage';

const description = buildBillScreen({
  fields: [buildRefField('company_id', '公司', 'company', 'company_name')],
  actions: [{ name: 'upload', label: '上传', scope: 'batch' } as never],
});
const preview = {
  columns: ['商品编码'],
  ignored: [],
  rows: [{ row: 2, cells: ['甲'] }],
  total: 1,
  checked: 1,
  refused: 0,
  problems: [],
};

let view: ReturnType<typeof renderPage>;

function open(params: Record<string, string>) {
  view = renderPage(<InitialisationPage screen={description} params={params} />, {
    [`${description.api}/getList`]: () => paged([]),
    'v2/test/company/getDropdown': () => paged([{ company_id: 9, company_name: '乙公司' }]),
    'v2/open/Company/getSon2CompanyInfo': ({ query }) =>
      okAnswer({
        company_id: Number(query.company_id),
        company_name: '乙公司',
        type: 1,
        is_initialization: 0,
        state_name: '待上传商品',
        may_upload: true,
        task: null,
      }),
    'open/Initialization/preview': () => okAnswer(preview),
  });
}

beforeEach(() => {
  stubElementSizes();
  localStorage.clear();
  setSession({
    token: 't',
    sign_key: 'k',
    company_id: 2,
    company_name: '甲公司',
    user_id: 7,
    system: { type: 0, operatingVersion: 1, extendToolbar: '' },
  } as never);
});
afterEach(() => view.done());

it('uploads for the company that the link names, says so, and leaves what is kept of one’s own alone', async () => {
  open({ company_id: '9' });
  await pressButton('上传');
  await page.findByText('系统初始化 · 乙公司');
  const input = document.querySelector<HTMLInputElement>('.ant-modal input[type=file]')!;
  await userEvent.upload(input, new File(['x'], '商品.xlsx'));
  await waitFor(() => expect(view.calls.some(({ path }) => path === 'open/Initialization/preview')).toBe(true));
  const asked = view.calls
    .filter(({ path }) => path === 'v2/open/Company/getSon2CompanyInfo')
    .map(({ query }) => query.company_id);
  expect(new Set(asked)).toEqual(new Set(['9']));
  expect(localStorage.getItem('companyServeCacheGet')).toBeNull();
});

it('is one’s own company’s where no link names another', async () => {
  open({});
  await pressButton('上传');
  await page.findByText(/系统初始化/);
  expect(view.calls.find(({ path }) => path === 'v2/open/Company/getSon2CompanyInfo')?.query.company_id).toBe('2');
  await waitFor(() =>
    expect(JSON.parse(localStorage.getItem('companyServeCacheGet') ?? '{}')).toEqual({ company_id: 2, type: 1 }),
  );
});
