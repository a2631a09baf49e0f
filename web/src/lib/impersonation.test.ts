import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { onUnauthorized } from './api';
import { endImpersonation, startImpersonation, restoreOwnSession } from './impersonation';
import { getSession, setSession, type Session } from './session';

const own: Session = {
  token: 'mine',
  sign_key: 'k',
  expires_at: '2026-12-31 00:00:00',
  user_id: 7,
  user_name: 'manager',
  realname: '经理',
  role_id: 3,
  role_name: '经理',
  company_id: 2,
  company_name: '华东公司',
  department_name: '',
  company_admin_id: null,
  titName: '华东轮胎',
  area_name: null,
  scope: '',
  imitator: null,
  must_change_password: false,
  system: { type: 0, operatingVersion: 1, extendToolbar: '默认' },
};
const theirs = { ...own, token: 'theirs', user_id: 8, realname: '开单员', imitator: '经理' };
const went = vi.fn();

const answering = (envelope: object) => vi.stubGlobal('fetch', () => Promise.resolve(Response.json(envelope)));

beforeEach(async () => {
  vi.stubGlobal('location', { assign: went });
  setSession(own);
  answering({ code: 200, msg: '', data: theirs });
  await startImpersonation(8);
});
afterEach(() => {
  vi.unstubAllGlobals();
  localStorage.clear();
  went.mockReset();
});

it('goes on as the user and comes back to the own login', async () => {
  expect(getSession()).toMatchObject({ token: 'theirs', imitator: '经理' });
  answering({ code: 200, msg: '', data: null });
  await endImpersonation();
  expect(getSession()).toEqual(own);
  expect(went.mock.calls).toEqual([['/home'], ['/home']]);
});

it('comes back also when a read was told of the end first', async () => {
  const off = onUnauthorized(() => restoreOwnSession());
  answering({ code: 401, msg: '登录已失效', data: null });
  await endImpersonation();
  off();
  expect(getSession()).toEqual(own);
});

it('with no own login left ends at the login page', async () => {
  localStorage.removeItem('imitationOrigin');
  answering({ code: 200, msg: '', data: null });
  await endImpersonation();
  expect(getSession()).toBeNull();
});
