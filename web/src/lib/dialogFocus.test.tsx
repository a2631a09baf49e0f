import { cleanup, render, screen } from '@testing-library/react';
import { Button, ConfigProvider, Drawer, Input, Modal } from 'antd';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { watchDialogFocus } from './dialogFocus';

let stop: () => void;
beforeEach(() => {
  // Nothing is laid out here, and what is out of sight takes no focus.
  vi.spyOn(HTMLElement.prototype, 'offsetParent', 'get').mockReturnValue(document.body);
  stop = watchDialogFocus();
});
afterEach(() => {
  stop();
  cleanup();
  vi.restoreAllMocks();
});

/** What has the keyboard once the dialog is there. */
async function beginning(dialog: ReactNode): Promise<Element | null> {
  render(
    <ConfigProvider theme={{ token: { motion: false } }} button={{ autoInsertSpace: false }}>
      {dialog}
    </ConfigProvider>,
  );
  const shown = await screen.findByRole('dialog');
  await expect.poll(() => shown.contains(document.activeElement)).toBe(true);
  return document.activeElement;
}

it('begins in what is typed into', async () => {
  const at = await beginning(
    <Modal open title="短信" footer={null}>
      <Button type="primary">发送</Button>
      <Input aria-label="内容" />
    </Modal>,
  );
  expect(at).toBe(screen.getByLabelText('内容'));
});

it('begins at the main button of what can be pressed', async () => {
  const at = await beginning(
    <Modal open title="导出" footer={null}>
      <Button>刷新</Button>
      <Button type="primary" disabled>
        打印
      </Button>
      <Button type="primary">下载</Button>
    </Modal>,
  );
  expect(at).toBe(screen.getByRole('button', { name: '下载' }));
});

it('begins where it says itself', async () => {
  const at = await beginning(
    <Modal open title="打印" footer={null}>
      <Input aria-label="模板" />
      <Button data-begins>打印</Button>
    </Modal>,
  );
  expect(at).toBe(screen.getByRole('button', { name: '打印' }));
});

it('has the keyboard as a whole where it is only read', async () => {
  const at = await beginning(
    <Modal open title="按键表" footer={null}>
      F8 审核
    </Modal>,
  );
  expect(at?.matches('.ant-modal-close')).toBe(false);
});

it('begins so in a drawer too, and leaves the cross within reach', async () => {
  render(
    <ConfigProvider theme={{ token: { motion: false } }}>
      <Drawer open title="会话">
        <Button>全部注销</Button>
      </Drawer>
    </ConfigProvider>,
  );
  const only = await screen.findByRole('button', { name: '全部注销' });
  const cross = document.querySelector<HTMLElement>('.ant-drawer-close')!;
  cross.focus();
  expect(document.activeElement).toBe(only);
  cross.focus();
  expect(document.activeElement).toBe(cross);
});
