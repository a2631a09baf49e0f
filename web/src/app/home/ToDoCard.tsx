/** Pending items of a back-office user by type, oldest first; each line opens its list. */
import { Button, Card } from 'antd';
import dayjs from 'dayjs';
import { useState } from 'react';
import { Link } from 'react-router';
import { now } from '@/lib/businessClock';
import { useQuery } from '@/lib/query';
import { pendingByTypeQuery, stripCount } from '../header/pendingQueries';
import styles from './home.module.css';

const MAX_SHOWN = 12;

export function ToDoCard() {
  const { data = [] } = useQuery(pendingByTypeQuery());
  const [all, setAll] = useState(false);
  if (data.length === 0) return null;
  const items = data.flatMap((group) => group.items);
  return (
    <Card size="small" title="待办" extra={data.map(({ title, count }) => `${title} ${count}`).join(' · ')}>
      <div className={styles.todo}>
        {items.slice(0, all ? undefined : MAX_SHOWN).map(({ id, count, content, url, since }) => (
          <Link key={id} to={url} className={styles.waiting}>
            <strong>{count > 99 ? '99+' : count}</strong>
            <span>
              {stripCount(content)}
              {since && renderWaitingTime(since)}
            </span>
          </Link>
        ))}
      </div>
      {items.length > MAX_SHOWN && !all && (
        <Button type="link" size="small" onClick={() => setAll(true)}>
          查看全部 {items.length} 项
        </Button>
      )}
    </Card>
  );
}

/** Render the age of the oldest pending item, from one day on. */
function renderWaitingTime(since: string) {
  const days = now().diff(dayjs(since), 'day');
  return days > 0 && <small>最早已等 {days} 天</small>;
}
