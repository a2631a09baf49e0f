/** The wall's large figures; each leads to the report that has it in full. */
import { Link } from 'react-router';
import type { StockHealth } from '@/gen';
import { formatBrief, formatPercent, formatQuantity } from '@/lib/format';
import styles from './wall.module.css';

interface Told {
  label: string;
  value: string;
  more: string;
  to: string;
  warns?: boolean;
}

const sluggishFrom = 20;
const nothing = '—';

export function Headline({ whole, byValue, company }: { whole: StockHealth; byValue: boolean; company: number }) {
  const of = company ? `?company_id=${company}` : '';
  const told: Told[] = [
    {
      label: byValue ? '库存金额' : '库存数量',
      value: formatBrief(byValue ? whole.amount : whole.quantity),
      more: byValue ? `${formatBrief(whole.quantity)} 件` : `${formatBrief(whole.goods_count)} 个品种`,
      to: `/report/getInventoryInfoList${of}`,
    },
    {
      label: '在库品种',
      value: formatBrief(whole.goods_count),
      more: '按仓库计',
      to: `/report/getInventoryInfoList${of}`,
    },
    {
      label: '断货品种',
      value: formatBrief(whole.sold_out_count),
      more: '近 30 天有销售、现无库存',
      to: `/inventory/stockWarningQuery${of}`,
      warns: whole.sold_out_count > 0,
    },
    {
      label: '呆滞占比',
      value: formatPercent(whole.sluggish_rate) || nothing,
      more: `超过 180 天 ${formatBrief(byValue ? whole.sluggish_amount : whole.sluggish_quantity)}`,
      to: '/report/sluggishstock',
      warns: Number(whole.sluggish_rate) >= sluggishFrom,
    },
    {
      label: '可销天数',
      value: formatQuantity(whole.cover_days) || nothing,
      more: `近 30 天销量 ${formatBrief(whole.sales_30)}`,
      to: `/report/getInventoryInfoList${of}`,
    },
    {
      label: '周转天数',
      value: formatQuantity(whole.turnover_days) || nothing,
      more: byValue ? '近一年，按金额' : '近一年，按数量',
      to: '/report/inventoryturnover',
    },
  ];
  return (
    <div className={styles.headline}>
      {told.map(({ label, value, more, to, warns }) => (
        <Link key={label} to={to} className={warns ? `${styles.figure} ${styles.warns}` : styles.figure}>
          <span>{label}</span>
          <strong>{value}</strong>
          <small>{more}</small>
        </Link>
      ))}
    </div>
  );
}
