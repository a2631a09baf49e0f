/** 排名（本月）: companies, goods, customers or brands by revenue, quantity or profit; each leads to its lines. */
import { Segmented, Select } from 'antd';
import { useState } from 'react';
import type { Ranking } from '@/gen';
import { decimalOrZero, isMasked } from '@/lib/decimal';
import { formatBrief, formatMoney, formatPercent, formatQuantity } from '@/lib/format';
import { RouteLink } from '@/lib/routeAccess';
import { Trend } from './ChangeRate';
import styles from './console.module.css';
import { useConsole, type Measure, type RankingType } from './consoleQueries';
import { salesLink, thisMonth } from './drilldownLinks';
import { ConsolePanel } from './ConsolePanel';

const RANKING_TYPES: { value: RankingType; label: string }[] = [
  { value: 'goods', label: '商品' },
  { value: 'customer', label: '客户' },
  { value: 'brand', label: '品牌' },
  { value: 'company', label: '公司' },
];
const MEASURES: { value: Measure; label: string }[] = [
  { value: 'revenue', label: '按收入' },
  { value: 'quantity', label: '按数量' },
  { value: 'profit', label: '按毛利' },
];
const ROW_COUNT = 10;
const ROW_HEIGHT = 30;

export function RankingPanel({ company, first = 'goods' }: { company: number; first?: RankingType }) {
  const [type, chooseType] = useState<RankingType>(first);
  const [measure, chooseMeasure] = useState<Measure>('revenue');
  const query = useConsole('getRankingList', { company_id: company, type, measure, num: ROW_COUNT });
  const named = RANKING_TYPES.find(({ value }) => value === type)?.label;
  const seesProfit = !isMasked(query.data?.[0]?.profit);
  return (
    <ConsolePanel
      title={`${named}排名（本月）`}
      extra={
        <div className={styles.choices}>
          <Segmented size="small" value={type} onChange={chooseType} options={RANKING_TYPES} />
          <Select
            size="small"
            aria-label="排名依据"
            value={measure}
            onChange={chooseMeasure}
            options={MEASURES.filter(({ value }) => value !== 'profit' || seesProfit)}
          />
        </div>
      }
      query={query}
      height={ROW_COUNT * ROW_HEIGHT}
      isEmpty={(found) => found.length === 0}
      empty="本月还没有销售"
    >
      {(found) => <RankingRows rows={found} type={type} measure={measure} company={company} />}
    </ConsolePanel>
  );
}

export function RankingRows({
  rows: found,
  type,
  measure,
  company,
}: {
  rows: Ranking[];
  type: RankingType;
  measure: Measure;
  company: number;
}) {
  const most = decimalOrZero(found[0]?.[measure]);
  return (
    <ol className={styles.ranking}>
      {found.map((row, at) => {
        const share = most.gt(0) ? decimalOrZero(row[measure]).div(most).times(100) : decimalOrZero(0);
        const filter = { company_id: company, [`${type}_id`]: row.id ?? -1 };
        return (
          <li key={`${row.id}`}>
            <RouteLink to={salesLink(thisMonth(), filter)} className={styles.row}>
              <span className={styles.bar} style={{ width: `${share.clamp(0, 100).toFixed(2)}%` }} />
              <i>{at + 1}</i>
              <span className={styles.name} title={row.name}>
                {row.name}
              </span>
              <strong title={measure === 'quantity' ? undefined : formatMoney(row[measure])}>
                {measure === 'quantity' ? formatQuantity(row.quantity) : formatBrief(row[measure])}
              </strong>
              <small title="占比">{formatPercent(row.share)}</small>
              <small className={styles.trend} title="收入比上月同期">
                <Trend percent={row.change} />
              </small>
            </RouteLink>
          </li>
        );
      })}
    </ol>
  );
}
