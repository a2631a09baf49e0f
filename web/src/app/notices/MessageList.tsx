/** The newest announcements under the bell; ten more at each load. */
import { Button, Empty } from 'antd';
import { useState } from 'react';
import type { Message } from '@/gen';
import { useQuery } from '@/lib/query';
import { useTabs } from '@/lib/tabs';
import styles from './notices.module.css';
import { messagesQuery } from './queries';

const PAGE_STEP = 10;

export default function MessageList({ onRead, onLeave }: { onRead: (message: Message) => void; onLeave: () => void }) {
  const tabs = useTabs();
  const [perPage, setPerPage] = useState(PAGE_STEP);
  const { data, isFetching } = useQuery(messagesQuery(perPage));
  const messages = data?.data ?? [];
  return (
    <div className={styles.messages}>
      {data && messages.length === 0 && <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="暂无公告" />}
      <ul>
        {messages.map((message) => (
          <li key={message.message_log_id}>
            <button
              type="button"
              className={message.is_read === 0 ? styles.unread : styles.message}
              onClick={() => onRead(message)}
            >
              <span>{message.message_title}</span>
              <time>{message.publish_at.slice(0, 10)}</time>
            </button>
          </li>
        ))}
      </ul>
      <footer>
        <Button
          type="link"
          loading={isFetching}
          disabled={(data?.total ?? 0) <= perPage}
          onClick={() => setPerPage(perPage + PAGE_STEP)}
        >
          加载更多
        </Button>
        <Button
          type="link"
          onClick={() => {
            tabs.open('/messageconfig', '系统公告');
            onLeave();
          }}
        >
          查看全部
        </Button>
      </footer>
    </div>
  );
}
