import { act, cleanup, render, screen } from '@testing-library/react';
import { App, ConfigProvider } from 'antd';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError, NETWORK, reportError, showMessage } from '@/lib/errors';
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
        <Notices />
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
});
