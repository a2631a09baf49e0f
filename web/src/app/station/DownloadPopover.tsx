/** 下载: the mobile app's QR code and the voice client. */
import { DownloadOutlined, MobileOutlined } from '@ant-design/icons';
import { Button, Popover, QRCode, Tooltip } from 'antd';
import { useState } from 'react';
import type { Downloads } from '@/gen';
import { api } from '@/lib/api';
import { useQuery } from '@/lib/query';
import styles from './station.module.css';

export function DownloadPopover() {
  const [open, setOpen] = useState(false);
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      trigger="click"
      placement="bottomRight"
      content={<DownloadPanel />}
      destroyOnHidden
    >
      <Tooltip title={open ? '' : '下载'}>
        <Button type="text" size="middle" icon={<MobileOutlined />} aria-label="下载" />
      </Tooltip>
    </Popover>
  );
}

function DownloadPanel() {
  const { data } = useQuery({
    queryKey: ['station', 'downloads'],
    queryFn: () => api.get<Downloads>('v2/open/SuperStation/getDownloads'),
    staleTime: Infinity,
    meta: { quiet: true },
  });
  // Where no app is set, the phone opens this very site, which fits its screen.
  const address = new URL(data?.app_url || '/', window.location.origin).href;
  return (
    <div className={styles.download}>
      <QRCode value={address} size={148} bordered={false} status={data ? 'active' : 'loading'} />
      <p>手机扫码，{data?.app_url ? '下载移动端' : '打开移动端'}</p>
      <Button
        icon={<DownloadOutlined />}
        href={data?.voice_url || undefined}
        target="_blank"
        disabled={!data?.voice_url}
        block
      >
        语音播报客户端{data && !data.voice_url ? '（未设置）' : ''}
      </Button>
    </div>
  );
}
