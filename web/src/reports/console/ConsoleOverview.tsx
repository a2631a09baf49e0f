/** 首页经营数据: today, the month, and best provinces, salesmen and goods; the page of business data has the rest. */
import { useEffect } from 'react';
import { RouteLink, useCanOpenRoute } from '@/lib/routeAccess';
import { preloadLastFrame } from '../preloadedFrame';
import styles from './console.module.css';
import { MonthActivity } from './MonthActivity';
import { ProvincePanel } from './ProvincePanel';
import { RankingPanel } from './RankingPanel';
import { SalesmanPanel } from './SalesmanPanel';
import { TodayCases } from './TodayCases';

const ALL_COMPANIES = 0;
const BUSINESS_DATA = '/system/businessData';

export default function ConsoleOverview() {
  useEffect(preloadLastFrame, []);
  const reaches = useCanOpenRoute();
  return (
    <section className={styles.overview} aria-label="经营数据">
      <TodayCases company={ALL_COMPANIES} />
      <div className={styles.pair}>
        <MonthActivity company={ALL_COMPANIES} />
        <RankingPanel company={ALL_COMPANIES} />
        <ProvincePanel company={ALL_COMPANIES} />
        <SalesmanPanel company={ALL_COMPANIES} />
      </div>
      {reaches(BUSINESS_DATA) && (
        <RouteLink to={BUSINESS_DATA} className={styles.more}>
          查看全部经营数据
        </RouteLink>
      )}
    </section>
  );
}
