import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { buildBillScreen, buildField } from '@/engine/fixtures';
import { stubElementSizes, okAnswer, pageAnswer, renderPage } from '@/engine/harness';
import type { Action } from '@/engine/types';
import type { ImitateLoginRow, LoggedIn, Whom } from '@/gen';
import { getSession } from '@/lib/session';
import ImpersonatePage from './ImpersonatePage';

const api = 'v2/system/ImitateLogin';
const imitate: Action = {
  name: 'imitate',
  label: '模拟登录',
  scope: 'row',
  from: null,
  confirm: null,
  reason: false,
  danger: false,
};
const described = (actions: Action[]) =>
  buildBillScreen({
    name: 'imitate_login',
    label: '模拟登录',
    family: 'resource',
    api,
    key: 'user_id',
    see_key: 'user_id',
    title_field: 'realname',
    routes: { list: '/system/imitateLogin' },
    fields: [buildField({ name: 'user_name', label: '登录名' }), buildField({ name: 'realname', label: '姓名' })],
    status_field: null,
    blocks: [],
    actions,
  });
const li: ImitateLoginRow = {
  user_id: 8,
  user_name: 'li',
  realname: '李四',
  company_id: 2,
  company_name: '华东公司',
  department_name: null,
  role_id: 3,
  role_name: '开单员',
  last_login_at: null,
};
const login: LoggedIn = {
  token: 'his',
  sign_key: 'k2',
  expires_at: '2099-01-01 00:00:00',
  user_id: 8,
  user_name: 'li',
  realname: '李四',
  role_id: 3,
  role_name: '开单员',
  company_id: 2,
  company_name: '华东公司',
  department_name: null,
  company_admin_id: null,
  titName: null,
  area_name: null,
  scope: '',
  system: { type: 0, operatingVersion: 1, extendToolbar: '默认' },
  imitator: '张三',
  environment: 1,
  must_change_password: false,
};

let view: ReturnType<typeof renderPage>;
const goes = vi.fn();
const open = async (actions: Action[]) => {
  view = renderPage(<ImpersonatePage screen={described(actions)} params={{}} />, {
    [`${api}/getList`]: () => pageAnswer([li]),
    [`${api}/getTotals`]: () => okAnswer({ total: 1, totals: {} }),
    [`${api}/imitate`]: () => okAnswer(login),
  });
  fireEvent.click(await screen.findByText('李四'));
};
const sentCalls = () => view.calls.filter(({ path }) => path === `${api}/imitate`);

beforeEach(() => {
  stubElementSizes();
  goes.mockReset();
  vi.stubGlobal('location', { ...window.location, assign: goes });
});
afterEach(() => {
  view.done();
  vi.unstubAllGlobals();
});

describe('simulated login', () => {
  it('begins only when agreed to, and goes on as the user from the home page', async () => {
    await open([imitate]);
    await screen.findAllByText('以“李四”的身份登录？');
    expect(sentCalls()).toHaveLength(0);
    fireEvent.click(document.querySelector('.ant-modal-confirm-btns .ant-btn-primary')!);
    await waitFor(() => expect(goes).toHaveBeenCalledWith('/home'));
    const body: Whom = { user_id: 8 };
    expect(sentCalls()[0]?.body).toEqual(body);
    expect(getSession()).toMatchObject({ token: 'his', user_id: 8, imitator: '张三' });
  });

  it('is not offered to who may only look', async () => {
    await open([]);
    expect(screen.getByText('您可以查看用户，但没有模拟登录的权限。')).toBeTruthy();
    expect(document.querySelector('.ant-modal-confirm')).toBeNull();
    expect(sentCalls()).toHaveLength(0);
  });
});
