import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { MemoryRouter, Route, Routes, useLocation } from 'react-router';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { storeReturnRoute, signOut } from '../session';
import LoginPage from './LoginPage';

const loggedIn = {
  token: 't1',
  sign_key: 'ab',
  expires_at: '2026-11-21 08:00:00',
  user_id: 7,
  user_name: 'zhang',
  realname: '张三',
  role_id: 3,
  role_name: '开单员',
  company_id: 2,
  company_name: '上海公司',
  department_name: null,
  company_admin_id: null,
  titName: null,
  area_name: null,
  scope: '',
  system: {},
};

function Elsewhere() {
  const { pathname, search } = useLocation();
  return <output>{pathname + search}</output>;
}

async function logIn(answer: () => Promise<Response>) {
  vi.stubGlobal('fetch', vi.fn(answer));
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter initialEntries={['/login']}>
        <Routes>
          <Route path="/login" element={<LoginPage />} />
          <Route path="*" element={<Elsewhere />} />
        </Routes>
      </MemoryRouter>
    </QueryClientProvider>,
  );
  fireEvent.change(screen.getByLabelText('用户名'), { target: { value: 'zhang' } });
  fireEvent.change(screen.getByLabelText('密码'), { target: { value: 'secret' } });
  await act(async () => {
    fireEvent.click(screen.getByRole('button', { name: /登\s*录/ }));
    await new Promise((resolve) => setTimeout(resolve, 50));
  });
}

const answering = (code: number, msg: string, data: typeof loggedIn | null) => () =>
  Promise.resolve(Response.json({ code, msg, data }));

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  signOut();
});
afterEach(cleanup);

describe('login page', () => {
  it('leads to home', async () => {
    await logIn(answering(200, '', loggedIn));
    expect(screen.getByRole('status').textContent).toBe('/home');
    expect(localStorage.getItem('token')).toBe('t1');
  });

  it('leads back to where the session of the same user had expired', async () => {
    storeReturnRoute(7, '/sales/salesoutSee?id=5');
    await logIn(answering(200, '', loggedIn));
    expect(screen.getByRole('status').textContent).toBe('/sales/salesoutSee?id=5');
  });

  it.each(['用户名或密码错误', '登录失败次数过多，请15分钟后再试'])('shows what the server says: %s', async (msg) => {
    await logIn(answering(400, msg, null));
    expect(screen.getByRole('alert').textContent).toContain(msg);
  });

  it('says when the network is down', async () => {
    await logIn(() => Promise.reject(new TypeError('failed')));
    expect(screen.getByRole('alert').textContent).toContain('网络错误');
  });
});
