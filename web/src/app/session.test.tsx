import { act, cleanup, render, screen } from '@testing-library/react';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { MemoryRouter, Route, Routes } from 'react-router';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { api } from '@/lib/api';
import { userKey, type Session } from '@/lib/session';
import { clearReturnRoute, routeAfterLogin, signIn, signOut } from './session';
import { SessionGuard } from './SessionGuard';

const session: Session = {
  token: 't1',
  sign_key: 'ab',
  expires_at: '2026-11-21 08:00:00',
  user_id: 7,
  user_name: 'zhang',
  realname: '张三',
  role_id: 3,
  role_name: '分公司经理',
  company_id: 2,
  company_name: '华东公司',
  department_name: '销售部',
  company_admin_id: null,
  titName: null,
  area_name: null,
  scope: '',
  imitator: null,
  must_change_password: false,
  system: { type: 0, operatingVersion: 1, extendToolbar: '默认' },
};
const answer = { ...session, environment: 1, must_change_password: false };

const answering = (code: number, msg: string) =>
  vi.stubGlobal(
    'fetch',
    vi.fn(() => Promise.resolve(Response.json({ code, msg, data: null }))),
  );

function start() {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter initialEntries={['/sales/salesoutAdd?id=1']}>
        <Routes>
          <Route path="/login" element={<p>登录页</p>} />
          <Route path="*" element={<SessionGuard>{({ realname }) => <p>{realname}</p>}</SessionGuard>} />
        </Routes>
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

// Whom an earlier file logged in, the module may still know.
beforeEach(() => {
  signOut();
  localStorage.clear();
  sessionStorage.clear();
});

afterEach(cleanup);

describe('session', () => {
  it('1-shell 3: titName is kept, of a group without a short name as the product’s', () => {
    signIn(answer);
    expect(localStorage.getItem('titName')).toBe('汽配轮胎供应链平台');
    signIn({ ...answer, titName: '华东轮胎' });
    expect(localStorage.getItem('titName')).toBe('华东轮胎');
    signOut();
    expect(localStorage.getItem('titName')).toBeNull();
  });

  it('without a token leads to the login page', () => {
    start();
    expect(screen.getByText('登录页')).toBeTruthy();
  });

  it('keeps the keys the shell is known by, and clears them on logout', () => {
    signIn(answer);
    const keys = ['token', 'realname', 'company_name', 'department_name', 'role_id', 'user_id', 'company_id'];
    expect(keys.map((key) => localStorage.getItem(key))).toEqual(['t1', '张三', '华东公司', '销售部', '3', '7', '2']);
    signOut();
    expect(keys.map((key) => localStorage.getItem(key)).filter(Boolean)).toEqual([]);
  });

  it.each([
    [401, ''],
    [503, '系统维护中'],
  ])('ended by the server (%i) leads to the login page and keeps drafts and the way back', async (code, msg) => {
    signIn(answer);
    localStorage.setItem(userKey('draft'), '{"lines":[1]}');
    answering(code, msg);
    start();
    expect(screen.getByText('张三')).toBeTruthy();
    await act(async () => {
      await api.get('system/user/isTokenInvalid').catch(() => undefined);
    });
    expect(screen.getByText('登录页')).toBeTruthy();
    expect(localStorage.getItem('u7:draft')).toBe('{"lines":[1]}');
    expect(routeAfterLogin(7)).toBe('/sales/salesoutAdd?id=1');
  });

  it('stays on refusals of other kinds', async () => {
    signIn(answer);
    answering(403, '暂无权限');
    start();
    await act(async () => {
      await api.get('v2/x/getList').catch(() => undefined);
    });
    expect(screen.getByText('张三')).toBeTruthy();
  });

  it('does not lead another user to the place of the first', () => {
    sessionStorage.setItem('returnTo', JSON.stringify({ userId: 7, route: '/x' }));
    expect(routeAfterLogin(8)).toBe('/home');
    expect(routeAfterLogin(7)).toBe('/x');
    clearReturnRoute();
    expect(routeAfterLogin(7)).toBe('/home');
  });
});
