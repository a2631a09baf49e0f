/** 系统公告: all that reach the user, unread first; ten more at each load. */
import { Button, Card, Empty, Spin } from 'antd';
import { lazy, Suspense, useState } from 'react';
import { useQuery } from '@/lib/query';
import type { Message } from '@/gen';
import styles from './notices.module.css';
import { messagesQuery } from './queries';

const MessageDialog = lazy(() => import('./MessageDialog'));
const PAGE_STEP = 10;

export default function MessagesPage() {
  const [perPage, setPerPage] = useState(PAGE_STEP);
  const { data, isPending, isFetching } = useQuery(messagesQuery(perPage));
  const [shown, setShown] = useState<Message | null>(null);
  const messages = data?.data ?? [];
  return (
    <Card title="系统公告" size="small" style={{ maxWidth: 960 }}>
      {isPending && <Spin />}
      {data && messages.length === 0 && <Empty description="暂无公告" />}
      {messages.map((message) => (
        <button
          key={message.message_log_id}
          type="button"
          className={message.is_read === 0 ? styles.unread : styles.message}
          onClick={() => setShown(message)}
        >
          <span>{message.message_title}</span>
          <time>{message.publish_at}</time>
        </button>
      ))}
      {(data?.total ?? 0) > perPage && (
        <Button type="link" loading={isFetching} onClick={() => setPerPage(perPage + PAGE_STEP)}>
          加载更多
        </Button>
      )}
      {shown && (
        <Suspense>
          <MessageDialog message={shown} onClose={() => setShown(null)} />
        </Suspense>
      )}
    </Card>
  );
}
