import { screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { buildBillScreen } from '@/engine/fixtures';
import { stubElementSizes, okAnswer, pageAnswer, pressButton, renderPage, type FakeRoutes } from '@/engine/harness';
import BackupPage from './BackupPage';

const api = 'v2/system/Backup';
const action = (name: string, label: string) => ({
  name,
  label,
  scope: 'batch' as const,
  from: null,
  confirm: null,
  reason: false,
  danger: false,
});
const actions = [action('backup', '备份'), action('verify', '校验'), action('download', '下载')];
const description = { ...buildBillScreen(), name: 'backup', key: 'backup_id', api, actions };
const row = { backup_id: 4, file_name: 'erp_20260101.tar', size_text: '3.2 MB', state: 1 };

let view: ReturnType<typeof renderPage>;
const open = (running: object[], done: object[], routes: FakeRoutes = {}, described = description) => {
  view = renderPage(<BackupPage screen={described} />, {
    [`${api}/getList`]: ({ query }) =>
      pageAnswer(query.state === '0,2' ? (running as never) : query.state === '1' ? (done as never) : []),
    [`${api}/getTotals`]: () => okAnswer({ total: 0, totals: {} }),
    ...routes,
  });
};

beforeEach(stubElementSizes);
afterEach(() => {
  view.done();
  vi.restoreAllMocks();
});

describe('backup and restore', () => {
  it('starts a backup and says that it runs', async () => {
    open([], [], { [`${api}/backup`]: () => okAnswer({ id: 5, file_name: 'x.tar' }) });
    await pressButton('开始备份');
    await waitFor(() => expect(view.told.at(-1)?.msg).toBe('已开始备份，完成后可下载'));
  });

  it('starts no second one beside one that runs', async () => {
    open([{ ...row, state: 2 }], []);
    expect(await screen.findByText('正在备份')).toBeTruthy();
  });

  it('hands out finished ones', async () => {
    URL.createObjectURL = vi.fn(() => 'blob:made');
    URL.revokeObjectURL = vi.fn();
    open([], [row]);
    await pressButton('下载erp_20260101.tar（3.2MB）');
    await waitFor(() => expect(view.calls.find((call) => call.path === `${api}/getFile`)?.query.id).toBe('4'));
  });

  it('offers what the role may, and says how to restore', async () => {
    open([], [row], {}, { ...description, actions: [] });
    expect(await screen.findByText(/erp restore/)).toBeTruthy();
    expect(screen.getByText(/secrets.json（密钥和密码）不在备份里/)).toBeTruthy();
    expect(screen.queryByText('开始备份')).toBeNull();
    expect(screen.queryByText(/下载 erp/)).toBeNull();
  });
});
