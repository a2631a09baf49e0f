/** 版本切换: standard with the side menu, or simple without; either may be saved as the account's default. */
import { SwapOutlined } from '@ant-design/icons';
import { useMutation } from '@tanstack/react-query';
import { Button, Checkbox, Popover, Radio, Space, Tooltip } from 'antd';
import { useState } from 'react';
import { api } from '@/lib/api';
import { reportError, showMessage } from '@/lib/errors';
import { switchVersion } from '../session';
import { clearTabs } from '../tabs/tabStore';
import { SIMPLE, STANDARD } from './versions';

const SAVED_MESSAGES: Record<number, string> = {
  [STANDARD]: '当前账号已经设置为标准版',
  [SIMPLE]: '当前账号已经设置为简洁版',
};

export function VersionSwitch({ version }: { version: number }) {
  const [open, setOpen] = useState(false);
  const [wanted, setWanted] = useState(version);
  const [asDefault, setAsDefault] = useState(false);
  const save = useMutation({
    mutationFn: () => api.post('v2/open/User/serviceStationSetUpVersion', { version: wanted - 1 }),
    onSuccess: () => showMessage('success', SAVED_MESSAGES[wanted] ?? ''),
    onError: reportError,
  });

  const confirm = async () => {
    if (asDefault) await save.mutateAsync().catch(() => undefined);
    setOpen(false);
    if (wanted === version) return;
    // The other version has base tabs of its own.
    clearTabs();
    switchVersion(wanted);
  };

  const panel = (
    <Space orientation="vertical" size={12}>
      <Radio.Group value={wanted} onChange={(event) => setWanted(Number(event.target.value))}>
        <Radio value={STANDARD}>标准版</Radio>
        <Radio value={SIMPLE}>简洁版</Radio>
      </Radio.Group>
      <Checkbox checked={asDefault} onChange={(event) => setAsDefault(event.target.checked)}>
        保存为默认版本
      </Checkbox>
      <Button type="primary" block loading={save.isPending} onClick={() => void confirm()}>
        确定
      </Button>
    </Space>
  );
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      trigger="click"
      placement="bottomRight"
      title="版本切换"
      content={panel}
    >
      <Tooltip title={open ? '' : '版本切换'}>
        <Button type="text" size="middle" icon={<SwapOutlined />} aria-label="版本切换" />
      </Tooltip>
    </Popover>
  );
}
