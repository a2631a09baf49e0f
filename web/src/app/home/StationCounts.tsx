/** Pending counts of a service station, large enough for a phone. */
import { Grid } from 'antd';
import { Link } from 'react-router';
import { MAX_BADGE, useStationBadges } from '../station/counters';
import styles from './home.module.css';

export function StationCounts({ companyId }: { companyId: number }) {
  // On a phone the header has no room for the badges, and the home page asks by itself.
  const narrow = Grid.useBreakpoint().md === false;
  const badges = useStationBadges(companyId, narrow);
  return (
    <div className={styles.counts}>
      {badges.map(({ key, label, count, route }) => (
        <Link key={key} to={route} className={styles.count}>
          <strong>{count > MAX_BADGE ? `${MAX_BADGE}+` : count}</strong>
          <span>{label}</span>
        </Link>
      ))}
    </div>
  );
}
