import { fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { stubElementSizes, pageAnswer, renderPage } from '@/engine/harness';
import { getSession } from '@/lib/session';
// Loaded before a test waits for it.
import '../exports/ExportTaskDialog';
import { UserMenu } from './UserMenu';

const task = {
  export_id: 3,
  file_name: '客户_20261126.xlsx',
  export_time: '2026-11-26 10:00:00',
  export_complete_time: '2026-11-26 10:00:02',
  export_status: 1,
  export_status_name: '已完成',
  rows: 12,
};
let view: ReturnType<typeof renderPage>;

const Menu = ({ exports }: { exports: boolean }) => (
  <UserMenu session={getSession()!} exports={exports} themes={exports} />
);
const open = (exports: boolean) => {
  view = renderPage(<Menu exports={exports} />, { 'v2/open/ExportLog/getExportLogList': () => pageAnswer([task]) });
  fireEvent.click(screen.getByRole('button', { name: '当前用户 张三' }));
  return screen.findByText('我的订阅');
};

beforeEach(stubElementSizes);
afterEach(() => {
  view.done();
  vi.unstubAllGlobals();
});

it('leads to what was exported where the header has no entry for it', async () => {
  await open(true);
  fireEvent.click(screen.getByText('导出任务'));
  expect(await screen.findByText(task.file_name)).toBeTruthy();
});

it('leaves the exports to the header where it has one', async () => {
  await open(false);
  expect(screen.queryByText('导出任务')).toBeNull();
});

it('1-shell 2: all systems change the theme, here where the header has no room for it', async () => {
  await open(true);
  fireEvent.click(screen.getByText('切换为灰色主题'));
  expect(localStorage.getItem('theme')).toBe('grey');
  expect(document.documentElement.dataset.theme).toBe('grey');
});

it('leaves the theme to the header where it has room', async () => {
  await open(false);
  expect(screen.queryByText(/灰色主题/)).toBeNull();
});
