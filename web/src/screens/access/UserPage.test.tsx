import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildBillScreen, buildField, buildRefField } from '@/engine/fixtures';
import {
  findButton,
  stubElementSizes,
  okAnswer,
  pageAnswer,
  pressButton,
  renderPage,
  type FakeRoutes,
} from '@/engine/harness';
import type { Action } from '@/engine/types';
import type { Enabling, NewPassword, OpenSession, User, UserAccountRow } from '@/gen';
import UserPage from './UserPage';

const api = 'v2/system/User';
const action = (name: string): Action => ({
  name,
  label: name,
  scope: 'page',
  from: null,
  confirm: null,
  reason: false,
  danger: false,
});
const described = (...may: string[]) =>
  buildBillScreen({
    name: 'user_account',
    label: '用户',
    family: 'resource',
    api,
    key: 'user_id',
    fields: [
      buildField({ name: 'user_name', label: '登录名' }),
      buildRefField('company_id', '公司', 'company', 'company_name', { required: true }),
      buildRefField('employee_id', '员工', 'employee', 'employee_name'),
      buildRefField('role_id', '角色', 'role', 'role_name', { required: true }),
    ],
    actions: may.map(action),
  });
const zhang: UserAccountRow = {
  user_id: 8,
  user_name: 'zhang',
  realname: '张小三',
  company_id: 2,
  company_name: '华东公司',
  employee_id: 21,
  employee_name: '张三员工',
  role_id: 3,
  role_name: '开单员',
  enabled: true,
  locked: true,
  last_login_at: null,
  online_count: 1,
};
const session: OpenSession = {
  session_id: 77,
  kind: '登录',
  made_at: '2026-11-21 08:00:00',
  seen_at: '2026-11-21 09:00:00',
  expires_at: '2026-11-21 21:00:00',
  client: '10.0.0.8',
  agent: 'Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 Safari/537.36',
  imitator: null,
  is_own: false,
};

let view: ReturnType<typeof renderPage>;
const open = async (may: string[], routes: FakeRoutes = {}) => {
  view = renderPage(<UserPage screen={described(...may)} />, {
    [`${api}/getList`]: () => pageAnswer([zhang]),
    [`${api}/getTotals`]: () => okAnswer({ total: 1, totals: {} }),
    ...routes,
  });
  await screen.findByText('张小三');
};
const sentCalls = (call: string) => view.calls.filter(({ path }) => path === `${api}/${call}`);
const dialog = () => within(document.querySelector<HTMLElement>('.ant-modal')!);
const agree = () =>
  fireEvent.click(
    document.querySelector('.ant-modal-footer .ant-btn-primary, .ant-modal-confirm-btns .ant-btn-primary')!,
  );
const type = (label: string, value: string) => fireEvent.change(dialog().getByLabelText(label), { target: { value } });
const more = async (choice: string) => {
  await pressButton('更多');
  fireEvent.click(await screen.findByRole('menuitem', { name: choice }));
};

beforeEach(stubElementSizes);
afterEach(() => view.done());

describe('the users', () => {
  it('show who is locked, online and never logged in, and lead to their roles', async () => {
    await open([]);
    for (const told of ['已锁定', '在线 1', '从未登录', '共 1 个用户'])
      expect(await screen.findByText(told)).toBeTruthy();
    await pressButton('开单员');
    expect(view.tabs.open).toHaveBeenCalledWith('/system/roleAdd?id=3', '修改角色');
  });

  it('are searched from the first page on, and exported under the same filter', async () => {
    await open(['export'], { [`${api}/export`]: () => okAnswer({ export_id: 4 }) });
    fireEvent.click(screen.getByText('停用'));
    fireEvent.change(screen.getByLabelText('查找用户'), { target: { value: ' 张 ' } });
    await waitFor(() =>
      expect(sentCalls('getList').at(-1)?.query).toMatchObject({ keyword: '张', enabled: 'false', page: '1' }),
    );
    expect(sentCalls('getTotals').at(-1)?.query).toMatchObject({ keyword: '张', enabled: 'false' });
    await pressButton('导出');
    await waitFor(() => expect(view.told.at(-1)?.msg).toContain('请稍后在导出任务中下载'));
    expect(sentCalls('export')[0]?.query).toMatchObject({ keyword: '张', enabled: 'false' });
    expect(sentCalls('export')[0]?.query).not.toHaveProperty('page');
  });

  it('can only be looked at by who may not change them', async () => {
    await open([], { [`${api}/getSessions`]: () => okAnswer([session]) });
    expect(['新增用户', '修改', '更多', '导出'].map(findButton)).toEqual([undefined, undefined, undefined, undefined]);
    await pressButton('在线会话');
    expect(await screen.findByText('Chrome 140 · Windows')).toBeTruthy();
    expect(findButton('结束')).toBeUndefined();
  });
});

describe('an account', () => {
  it('is made with a first password, a company and a role', async () => {
    await open(['add'], {
      [`${api}/save`]: () => okAnswer({ id: 9 }),
      'v2/test/role/getDropdown': () => pageAnswer([{ role_id: 5, role_name: '仓管' }]),
    });
    await pressButton('新增用户');
    type('登录名', 'li');
    type('姓名', '李四');
    type('初始密码', 'aaaaaaaa');
    agree();
    expect(await dialog().findByText('请包含字母、数字、符号中的至少两种')).toBeTruthy();
    expect(dialog().getByText('请选择角色', { selector: '.ant-form-item-explain-error' })).toBeTruthy();
    expect(sentCalls('save')).toHaveLength(0);
    type('初始密码', 'aaaa-2026');
    fireEvent.mouseDown(dialog().getByLabelText('角色'));
    fireEvent.click(await screen.findByText('仓管'));
    agree();
    await waitFor(() => expect(sentCalls('save')).toHaveLength(1));
    const body: User = {
      user_id: null,
      user_name: 'li',
      realname: '李四',
      password: 'aaaa-2026',
      company_id: 2,
      employee_id: null,
      role_id: 5,
    };
    expect(sentCalls('save')[0]?.body).toEqual(body);
    await waitFor(() => expect(sentCalls('getList').length).toBeGreaterThan(1));
  });

  it('is changed without a password, and keeps its employee and role', async () => {
    await open(['edit'], { [`${api}/save`]: () => okAnswer({ id: 8 }) });
    await pressButton('修改');
    type('姓名', '张大三');
    agree();
    await waitFor(() => expect(sentCalls('save')).toHaveLength(1));
    const body: User = {
      user_id: 8,
      user_name: 'zhang',
      realname: '张大三',
      company_id: 2,
      employee_id: 21,
      role_id: 3,
    };
    expect(sentCalls('save')[0]?.body).toEqual(body);
  });

  it('stays open with what the server refuses', async () => {
    await open(['edit'], { [`${api}/save`]: () => ({ code: 400, msg: '登录名已存在' }) });
    await pressButton('修改');
    agree();
    await waitFor(() => expect(view.told.at(-1)?.msg).toBe('登录名已存在'));
    expect(dialog().getByLabelText<HTMLInputElement>('登录名').value).toBe('zhang');
  });

  it('gets another password only if that is strong enough', async () => {
    await open(['edit'], { [`${api}/setPassword`]: () => okAnswer(null) });
    await more('重设密码');
    type('新密码', 'kurz-1');
    agree();
    expect(await dialog().findByText('密码至少8位')).toBeTruthy();
    expect(sentCalls('setPassword')).toHaveLength(0);
    type('新密码', 'lang-genug-1');
    agree();
    const body: NewPassword = { user_id: 8, password: 'lang-genug-1' };
    await waitFor(() => expect(sentCalls('setPassword')[0]?.body).toEqual(body));
  });

  it('is disabled once that is agreed to', async () => {
    await open(['edit'], { [`${api}/setEnabled`]: () => okAnswer(null) });
    await more('停用');
    await screen.findAllByText('停用“张小三”？');
    expect(sentCalls('setEnabled')).toHaveLength(0);
    agree();
    const body: Enabling = { ids: [8], enabled: false };
    await waitFor(() => expect(sentCalls('setEnabled')[0]?.body).toEqual(body));
  });

  it('is unlocked where it is locked, and deleted by who may', async () => {
    await open(['edit'], { [`${api}/unlock`]: () => okAnswer(null) });
    await more('解除锁定');
    await waitFor(() => expect(sentCalls('unlock')[0]?.body).toEqual({ ids: [8] }));
    expect(screen.queryByText('删除')).toBeNull();
  });

  it('loses a session that should not be', async () => {
    await open(['edit'], {
      [`${api}/getSessions`]: () => okAnswer([session, { ...session, session_id: 78, is_own: true }]),
      [`${api}/endSession`]: () => okAnswer(null),
    });
    await more('在线会话');
    expect(await screen.findByText('当前会话')).toBeTruthy();
    expect(
      [...document.querySelectorAll('.ant-drawer button')].filter((one) => one.textContent === '结束'),
    ).toHaveLength(1);
    await pressButton('结束');
    expect(await screen.findByText('他重新登录即可')).toBeTruthy();
    await pressButton('确认结束');
    await waitFor(() => expect(sentCalls('endSession')[0]?.body).toEqual({ session_id: 77 }));
  });
});
