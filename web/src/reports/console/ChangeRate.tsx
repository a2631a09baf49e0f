import { isMasked, parseDecimal } from '@/lib/decimal';
import { formatPercent } from '@/lib/format';
import styles from './console.module.css';

/** Direction of change that is bad: a fall of sales, a rise of overdue amounts; neither for purchases. */
export type BadDirection = 'fall' | 'rise' | 'neither';

/** Change against the prior period, in percent; a dash if there is nothing to compare with. */
export function ChangeRate({
  now,
  before,
  worse,
}: {
  now: string | null;
  before: string | null;
  worse?: BadDirection;
}) {
  if (isMasked(now) || isMasked(before)) return null;
  const [value, base] = [parseDecimal(now), parseDecimal(before)];
  if (value === null || base === null || base.lte(0)) return <span className={styles.even}>—</span>;
  return <Trend percent={value.minus(base).div(base).times(100).toFixed(4)} worse={worse} />;
}

/** A change that the server computed. */
export function Trend({ percent, worse = 'fall' }: { percent: string | null; worse?: BadDirection }) {
  const value = parseDecimal(percent);
  if (value === null) return <span className={styles.even}>—</span>;
  if (value.toDecimalPlaces(1).isZero()) return <span className={styles.even}>持平</span>;
  const up = value.isPositive();
  return (
    <span className={worse === 'neither' ? styles.even : up === (worse === 'rise') ? styles.bad : styles.good}>
      {up ? '↑' : '↓'} {formatPercent(value.abs().toFixed(4))}
    </span>
  );
}
