/** 本月各省销售: the map of China by the customers' provinces; a province shows its best customers. */
import { Button } from 'antd';
import { useState } from 'react';
import type { ProvinceSales } from '@/gen';
import { formatBrief, formatMoney, formatPercent } from '@/lib/format';
import { LazyMap } from '../charts/LazyChart';
import { Trend } from './ChangeRate';
import styles from './console.module.css';
import { useConsole } from './consoleQueries';
import { ConsolePanel } from './ConsolePanel';
import { RankingRows } from './RankingPanel';

const MAP_HEIGHT = 340;
const CUSTOMER_COUNT = 10;

export function ProvincePanel({ company }: { company: number }) {
  const [chosen, choose] = useState('');
  const query = useConsole('getMonthlyProvinces', { company_id: company });
  return (
    <ConsolePanel
      title="各省销售（本月，按客户所在省）"
      query={query}
      height={MAP_HEIGHT}
      isEmpty={(found) => found.length === 0}
      empty="本月还没有销售"
    >
      {(found) => (
        <div className={styles.provinces}>
          <LazyMap
            values={found.map((one) => ({
              province: one.province_name,
              value: Number(one.revenue),
              tooltipLines: describeProvince(one),
            }))}
            height={MAP_HEIGHT}
            label="各省销售收入"
            chosen={chosen}
            onPick={choose}
          />
          {chosen ? (
            <ProvinceCustomers company={company} province={chosen} onLeave={() => choose('')} />
          ) : (
            <ProvinceRows rows={found} onPick={choose} />
          )}
        </div>
      )}
    </ConsolePanel>
  );
}

const describeProvince = (one: ProvinceSales) => [
  `销售收入 ${formatMoney(one.revenue)}`,
  `占比 ${formatPercent(one.share)}`,
  `客户 ${one.customer_count} 家，出库 ${one.bill_count} 张`,
];

function ProvinceRows({ rows, onPick }: { rows: ProvinceSales[]; onPick: (province: string) => void }) {
  return (
    <ol className={styles.ranking}>
      {rows.map((one, at) => (
        <li key={one.province_name}>
          <button type="button" className={styles.row} onClick={() => onPick(one.province_name)}>
            <i>{at + 1}</i>
            <span className={styles.name}>{one.province_name}</span>
            <strong title={formatMoney(one.revenue)}>{formatBrief(one.revenue)}</strong>
            <small title="占比">{formatPercent(one.share)}</small>
            <small className={styles.trend} title="比上月同期">
              <Trend percent={one.change} />
            </small>
          </button>
        </li>
      ))}
    </ol>
  );
}

function ProvinceCustomers({ company, province, onLeave }: { company: number; province: string; onLeave: () => void }) {
  const query = useConsole('getRankingList', {
    company_id: company,
    type: 'customer',
    num: CUSTOMER_COUNT,
    province_name: province,
  });
  return (
    <ConsolePanel
      title={`${province}的客户`}
      extra={
        <Button size="small" type="link" onClick={onLeave}>
          返回各省
        </Button>
      }
      query={query}
      height={MAP_HEIGHT / 2}
      isEmpty={(found) => found.length === 0}
    >
      {(found) => <RankingRows rows={found} type="customer" measure="revenue" company={company} />}
    </ConsolePanel>
  );
}
