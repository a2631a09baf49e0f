/** 经营数据: the console's figures of one company or of all that the user sees, and the days behind them. */
import { useState } from 'react';
import { RefSelect } from '@/engine/fields/RefSelect';
import { findRefField, type Screen } from '@/engine/types';
import ListReportPage from '../ListReportPage';
import { PublishedNotices } from '../PublishedNotices';
import styles from './console.module.css';
import { usePublishedAt } from './consoleQueries';
import { MonthActivity } from './MonthActivity';
import { ProvincePanel } from './ProvincePanel';
import { RankingPanel } from './RankingPanel';
import { SalesCurve } from './SalesCurve';
import { SalesmanPanel } from './SalesmanPanel';
import { TodayCases } from './TodayCases';

export default function BusinessDataPage({ screen, params }: { screen: Screen; params: Record<string, string> }) {
  const [company, choose] = useState({ id: Number(params.company_id ?? 0), name: '' });
  const field = findRefField(screen, 'company_id');
  const publishedAt = usePublishedAt();
  return (
    <div className={styles.overview}>
      <div className={styles.head}>
        {field && (
          <div className={styles.company}>
            <RefSelect
              field={field}
              value={company.id || undefined}
              label={company.name}
              onChange={(id, name) => choose({ id: Number(id ?? 0), name: String(name ?? '') })}
            />
          </div>
        )}
        <span role="status">
          {publishedAt === undefined ? '' : publishedAt ? `数据更新于 ${publishedAt}` : '报表数据尚未发布'}
        </span>
      </div>
      <PublishedNotices />
      <TodayCases company={company.id} />
      <div className={styles.pair}>
        <SalesCurve company={company.id} />
        <MonthActivity company={company.id} />
        <ProvincePanel company={company.id} />
        <SalesmanPanel company={company.id} />
        <RankingPanel company={company.id} />
        <RankingPanel company={company.id} first="customer" />
      </div>
      <ListReportPage screen={screen} params={params} notices={false} />
    </div>
  );
}
