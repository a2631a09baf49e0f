/** 提醒: automatic actions of the system, say a refund request for goods out of stock. */
import { Button, Modal } from 'antd';
import { useEffect, useState } from 'react';
import type { PopupRow } from '@/gen';
import { api } from '@/lib/api';
import { useQuery } from '@/lib/query';
import { useTabs } from '@/lib/tabs';
import styles from './notices.module.css';

const SEEN_DELAY = 2000;

export default function ReminderDialog() {
  const tabs = useTabs();
  const [open, setOpen] = useState(true);
  const { data: items = [] } = useQuery({
    queryKey: ['reminders'],
    queryFn: () => api.get<PopupRow[]>('v2/open/Message/getPopUplogList'),
    staleTime: Infinity,
    meta: { quiet: true },
  });

  useEffect(() => {
    if (items.length === 0) return;
    const ids = items.map(({ id }) => id).join(',');
    const timer = setTimeout(() => {
      api.post('v2/open/Message/setPopUpLog', { id_str: ids }).catch(() => undefined);
    }, SEEN_DELAY);
    return () => clearTimeout(timer);
  }, [items]);

  if (!open || items.length === 0) return null;
  const url = items.find((item) => item.url)?.url;
  const more = () => {
    setOpen(false);
    if (url) tabs.open(url, '提醒');
  };
  return (
    <Modal
      open
      title="提醒"
      width={600}
      onCancel={() => setOpen(false)}
      footer={
        <Button type="primary" onClick={more}>
          查看更多
        </Button>
      }
    >
      <ol className={styles.reminders}>
        {items.map((item) => (
          <li key={item.id}>{item.content}</li>
        ))}
      </ol>
    </Modal>
  );
}
