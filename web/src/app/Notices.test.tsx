import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { App, ConfigProvider } from 'antd';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError, NETWORK, reportError, showFailures, showMessage } from '@/lib/errors';
import { Notices } from './Notices';

const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

beforeAll(async () => {
  // The dialog is loaded when first needed; its loading is not what is timed here.
  await import('./FailureDialog');
}, 60_000);

beforeEach(async () => {
  vi.useFakeTimers();
  render(
    <ConfigProvider theme={{ token: { motion: false } }}>
      <App>
        <QueryClientProvider client={new QueryClient()}>
          <Notices />
        </QueryClientProvider>
      </App>
    </ConfigProvider>,
  );
  await wait(2_000);
});

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

describe('what calls report', () => {
  it('is a message; a refusal clears those before it', async () => {
    act(() => showMessage('success', '保存成功', 10));
    await wait(500);
    expect(screen.getByText('保存成功')).toBeTruthy();
    act(() => reportError(new ApiError(400, '库存不足')));
    await wait(1_000);
    expect(screen.getByText('库存不足')).toBeTruthy();
    expect(screen.queryByText('保存成功')).toBeNull();
  });

  it('stays 5 seconds when the network is down', async () => {
    act(() => reportError(new ApiError(NETWORK, '网络错误')));
    await wait(4_500);
    expect(screen.getByText('网络错误')).toBeTruthy();
    await wait(2_000);
    expect(screen.queryByText('网络错误')).toBeNull();
  });

  it('is a dialog with a table when several failed', async () => {
    const failures = [{ index: 1, serial: 'XSCK20261120001', msg: '库存不足' }];
    act(() => reportError(new ApiError(400, '审核未全部成功', { success: [], failures })));
    await wait(500);
    expect(screen.getByRole('dialog')).toBeTruthy();
    for (const text of ['审核未全部成功', '序号', '单据号/序号', '失败原因', 'XSCK20261120001']) {
      expect(screen.getAllByText(text).length).toBeGreaterThan(0);
    }
  });

  it('is headed by whether anything went through', async () => {
    const failures = [
      { index: 1, serial: '客户', msg: '请选择客户' },
      { index: 2, serial: '仓库', msg: '请选择仓库' },
    ];
    act(() => showFailures('有2处需要修改', failures, 0));
    await wait(500);
    expect(screen.getByText('操作失败')).toBeTruthy();
    fireEvent.click(screen.getByText('知道了'));
    await wait(500);
    act(() => showFailures('选择3条，成功审核1条，失败2条', failures, 1));
    await wait(500);
    expect(screen.getByText('操作未全部成功')).toBeTruthy();
  });

  it('comes as a file of lines, fields and reasons', async () => {
    const saved = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
    vi.stubGlobal('URL', Object.assign(URL, { createObjectURL: () => 'blob:x', revokeObjectURL: () => undefined }));
    const asked = vi.fn<typeof fetch>(() => Promise.resolve(new Response('x')));
    vi.stubGlobal('fetch', asked);
    const failures = [{ index: 1, serial: '第3行', field: '数量', msg: '请输入数字' }];
    act(() => showFailures('已粘贴2行，1处需要修改', failures, 2));
    await wait(500);
    expect(screen.getAllByText('字段').length).toBeGreaterThan(0);
    fireEvent.click(screen.getByText('下载失败明细'));
    await wait(500);
    expect(asked.mock.lastCall?.[0]).toContain('v2/Open/LineSheet/getFailures');
    expect(JSON.parse(asked.mock.lastCall?.[1]?.body as string)).toEqual({ failures });
    expect((saved.mock.contexts[0] as HTMLAnchorElement).download).toBe('失败明细.xlsx');
    vi.unstubAllGlobals();
  });
});
