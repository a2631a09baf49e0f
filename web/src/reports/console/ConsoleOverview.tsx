/** 首页经营数据: the day, the month, and where, by whom and of what most was sold; the page of business data has the rest. */
import { useEffect } from 'react';
import { Lead, useReaches } from '@/lib/reach';
import { prepareUsualFrame } from '../standbyFrame';
import styles from './console.module.css';
import { MonthActivity } from './MonthActivity';
import { ProvincePanel } from './ProvincePanel';
import { RankingPanel } from './RankingPanel';
import { SalesmanPanel } from './SalesmanPanel';
import { TodayCases } from './TodayCases';

const ALL = 0;
const BUSINESS_DATA = '/system/businessData';

export default function ConsoleOverview() {
  useEffect(prepareUsualFrame, []);
  const reaches = useReaches();
  return (
    <section className={styles.overview} aria-label="经营数据">
      <TodayCases company={ALL} />
      <div className={styles.pair}>
        <MonthActivity company={ALL} />
        <RankingPanel company={ALL} />
        <ProvincePanel company={ALL} />
        <SalesmanPanel company={ALL} />
      </div>
      {reaches(BUSINESS_DATA) && (
        <Lead to={BUSINESS_DATA} className={styles.more}>
          查看全部经营数据
        </Lead>
      )}
    </section>
  );
}
