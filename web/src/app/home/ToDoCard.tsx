/** What waits for the user in the back office; each line opens its list. */
import { Card } from 'antd';
import { Link } from 'react-router';
import { useQuery } from '@/lib/query';
import { pendingQuery, withoutCount } from '../header/pendingQueries';
import styles from './home.module.css';

const SHOWN = 8;

export function ToDoCard() {
  const { data = [] } = useQuery(pendingQuery());
  if (data.length === 0) return null;
  return (
    <Card size="small" title="待办">
      <div className={styles.todo}>
        {data.slice(0, SHOWN).map(({ id, count, content, url }) => (
          <Link key={id} to={url} className={styles.waiting}>
            <strong>{count > 99 ? '99+' : count}</strong>
            <span>{withoutCount(content)}</span>
          </Link>
        ))}
      </div>
    </Card>
  );
}
