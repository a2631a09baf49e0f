/** 最新动态: the bills audited last, newest first; what is new lights up. */
import { Link } from 'react-router';
import type { Screen } from '@/engine/types';
import { isMasked } from '@/lib/decimal';
import { formatMoney } from '@/lib/format';
import styles from './wall.module.css';
import { WallPanel } from './WallPanel';
import { useTicker } from './wallQueries';

const TIME_FORMAT = 'MM-DD HH:mm';
const YEAR_LENGTH = 'YYYY-'.length;

export function Ticker({ screen }: { screen: Screen }) {
  const { data, error } = useTicker(screen);
  return (
    <WallPanel title="最新审核的单据" className={styles.ticker}>
      {data?.length === 0 && <p className={styles.told}>最近没有审核的单据</p>}
      {!data && error && <p className={styles.told}>{error.message}</p>}
      <ol aria-live="off">
        {data?.map((bill) => (
          <li key={bill.log_id}>
            <Link to={bill.url}>
              <time>{bill.audited_at.slice(YEAR_LENGTH, YEAR_LENGTH + TIME_FORMAT.length)}</time>
              <span>
                {bill.label} <small>{bill.bill_no}</small>
              </span>
              <b>{bill.amount === null || isMasked(bill.amount) ? '' : formatMoney(bill.amount)}</b>
              <em>{bill.company_name}</em>
            </Link>
          </li>
        ))}
      </ol>
    </WallPanel>
  );
}
