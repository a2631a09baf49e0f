import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildBillScreen } from '@/engine/fixtures';
import { stubElementSizes, okAnswer, pageAnswer, pressButton, renderPage, type FakeRoutes } from '@/engine/harness';
import CleanupPage from './CleanupPage';

const api = 'v2/system/DbClear';
const clear = {
  name: 'clear',
  label: '清理',
  scope: 'batch' as const,
  from: null,
  confirm: null,
  reason: false,
  danger: false,
};
const description = { ...buildBillScreen(), name: 'cleanup_run', key: 'cleanup_run_id', api, actions: [clear] };
const preview = {
  kinds: [
    { kind: 'exports', label: '导出文件', note: '旧的导出', count: 12, allowed: true },
    { kind: 'drafts', label: '暂存的草稿', note: '旧的草稿', count: 0, allowed: true },
    { kind: 'trial', label: '试用数据', note: '尚未完成初始化', count: 3, allowed: false },
  ],
  companies: [{ company_id: 9, company_name: '新公司', state_name: '待上传库存' }],
  confirmation: '确认清理',
};

let view: ReturnType<typeof renderPage>;
const open = (routes: FakeRoutes = {}, described = description) => {
  view = renderPage(<CleanupPage screen={described} />, {
    [`${api}/getPreview`]: () => okAnswer(preview),
    [`${api}/getList`]: () => pageAnswer([]),
    [`${api}/getTotals`]: () => okAnswer({ total: 0, totals: {} }),
    ...routes,
  });
};
const box = (label: string) => screen.findByLabelText<HTMLInputElement>(`选择${label}`);

beforeEach(stubElementSizes);
afterEach(() => view.done());

describe('cleaning up', () => {
  it('counts beforehand, and lets nothing be chosen that isn’t there or isn’t allowed', async () => {
    open();
    expect(await screen.findByText('12')).toBeTruthy();
    expect((await box('暂存的草稿')).disabled).toBe(true);
    expect((await box('试用数据')).disabled).toBe(true);
    expect((await box('导出文件')).disabled).toBe(false);
  });

  it('clears only after the words are typed', async () => {
    open({ [`${api}/clear`]: () => okAnswer([{ kind: 'exports', label: '导出文件', count: 12 }]) });
    fireEvent.click(await box('导出文件'));
    await pressButton('清理');
    const typed = await screen.findByLabelText('确认文字');
    expect(screen.getByText('不能恢复，只能从备份取回')).toBeTruthy();
    fireEvent.change(typed, { target: { value: '清理' } });
    await pressButton('确认清理');
    await waitFor(() => expect(view.told.at(-1)?.msg).toBe('请录入“确认清理”以确认'));
    expect(view.calls.some((call) => call.path === `${api}/clear`)).toBe(false);
    fireEvent.change(typed, { target: { value: '确认清理' } });
    await pressButton('确认清理');
    await waitFor(() => expect(view.told.at(-1)?.msg).toBe('已清理：导出文件12'));
    const sent = view.calls.find((call) => call.path === `${api}/clear`);
    expect(sent?.body).toMatchObject({ kinds: ['exports'], days: 30, months: 12, company_id: 0, confirm: '确认清理' });
  });

  it('shows only the record without the right', async () => {
    open({}, { ...description, actions: [] });
    expect(await screen.findByText('清理记录')).toBeTruthy();
    expect(screen.queryByText('可清理数量')).toBeNull();
    expect(view.calls.some((call) => call.path === `${api}/getPreview`)).toBe(false);
  });
});
