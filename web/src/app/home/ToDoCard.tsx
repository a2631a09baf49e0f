/** What waits for the user in the back office, by type and the oldest first; each line opens its list. */
import { Button, Card } from 'antd';
import dayjs from 'dayjs';
import { useState } from 'react';
import { Link } from 'react-router';
import { now } from '@/lib/businessClock';
import { useQuery } from '@/lib/query';
import { awaitQuery, withoutCount } from '../header/pendingQueries';
import styles from './home.module.css';

const SHOWN = 12;

export function ToDoCard() {
  const { data = [] } = useQuery(awaitQuery());
  const [all, setAll] = useState(false);
  if (data.length === 0) return null;
  const items = data.flatMap((group) => group.items);
  return (
    <Card size="small" title="待办" extra={data.map(({ title, count }) => `${title} ${count}`).join(' · ')}>
      <div className={styles.todo}>
        {items.slice(0, all ? undefined : SHOWN).map(({ id, count, content, url, since }) => (
          <Link key={id} to={url} className={styles.waiting}>
            <strong>{count > 99 ? '99+' : count}</strong>
            <span>
              {withoutCount(content)}
              {since && waits(since)}
            </span>
          </Link>
        ))}
      </div>
      {items.length > SHOWN && !all && (
        <Button type="link" size="small" onClick={() => setAll(true)}>
          查看全部 {items.length} 项
        </Button>
      )}
    </Card>
  );
}

/** How long the oldest has been waiting, where it is a day or more. */
function waits(since: string) {
  const days = now().diff(dayjs(since), 'day');
  return days > 0 && <small>最早已等 {days} 天</small>;
}
