/** 公告弹窗: on a service station's home, once a day, when there is something unread. */
import { Button, Modal } from 'antd';
import { lazy, Suspense, useEffect, useState } from 'react';
import type { Message, NoticeList } from '@/gen';
import { useTabs } from '@/lib/tabs';
import styles from './notices.module.css';
import { canShowNotice, markNoticeShown } from './dailyNotice';
import { fetchUnreadNotices } from './queries';

const MessageDialog = lazy(() => import('./MessageDialog'));

interface Props {
  home: boolean;
  /** Called with whether the popup is open: no other dialog should ask meanwhile. */
  onOpen: (open: boolean) => void;
}

export default function NoticePopup({ home, onOpen }: Props) {
  const tabs = useTabs();
  const [found, setFound] = useState<NoticeList | null>(null);
  const [shown, setShown] = useState<Message | null>(null);

  useEffect(() => {
    if (!home || !canShowNotice()) return;
    let left = false;
    fetchUnreadNotices()
      .then((notices) => {
        if (left || notices.list.length === 0) return;
        markNoticeShown();
        setFound(notices);
        onOpen(true);
      })
      .catch(() => undefined);
    return () => {
      left = true;
    };
  }, [home, onOpen]);

  const close = () => {
    setFound(null);
    onOpen(false);
  };
  const more = () => {
    if (found) tabs.open(found.more_url, '系统公告');
    close();
  };
  return (
    <>
      {found && (
        <Modal
          open
          title="公告"
          width={520}
          onCancel={close}
          footer={
            <Button type="link" onClick={more}>
              查看更多
            </Button>
          }
        >
          {found.list.map((message) => (
            <button
              key={message.message_log_id}
              type="button"
              className={styles.unread}
              onClick={() => setShown(message)}
            >
              <span>{message.message_title}</span>
              <time>{message.publish_at.slice(0, 10)}</time>
            </button>
          ))}
        </Modal>
      )}
      {shown && (
        <Suspense>
          <MessageDialog
            message={shown}
            onClose={() => {
              setShown(null);
              setFound(found && { ...found, list: found.list.filter((item) => item !== shown) });
            }}
          />
        </Suspense>
      )}
    </>
  );
}
