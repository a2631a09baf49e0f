import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { setAuthority, useAuthority } from '@/lib/authority';
import { authorityCode, useAuthorityOfRoute } from './useAuthorityOfRoute';

function Probe({ route }: { route: string }) {
  useAuthorityOfRoute(route);
  return <output>{useAuthority()?.role_list.join(',') ?? '无'}</output>;
}

const answering = (is_role: 'Y' | 'N') => {
  const asked = vi.fn((url: string) => {
    void url;
    return Promise.resolve(
      Response.json({ code: 200, msg: '', data: { service_company_type: 0, is_role, role_list: ['list', 'add'] } }),
    );
  });
  vi.stubGlobal('fetch', asked);
  return asked;
};

const start = (route: string) =>
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Probe route={route} />
    </QueryClientProvider>,
  );

afterEach(() => {
  cleanup();
  setAuthority(null);
});

it('asks for the third segment of the path', () => {
  expect(authorityCode('/sales/salesout')).toBe('salesout');
  expect(authorityCode('/purchase/jybdorder/redirection')).toBe('jybdorder');
});

it.each(['/home', '/selfinfo', '/MoneyManagement/Checkstand', '/system/businessData', '/purchase/particulars'])(
  'does not ask at %s',
  (route) => {
    const asked = answering('Y');
    start(route);
    expect(asked).not.toHaveBeenCalled();
  },
);

it('keeps the role list as the authority', async () => {
  const asked = answering('Y');
  start('/sales/salesout');
  expect(await screen.findByText('list,add')).toBeTruthy();
  expect(asked.mock.calls[0]?.[0]).toContain('open/RequestOpen/getRequestOpenList?code=salesout');
});

it('keeps none without a role', async () => {
  setAuthority({ code: 'x', service_company_type: 0, role_list: ['old'] });
  answering('N');
  start('/sales/salesout');
  expect(await screen.findByText('无')).toBeTruthy();
});
