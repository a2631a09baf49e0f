/** The wall's large figures; each leads to the report that adds up to it. */
import type { CompanyStock, StockHealth } from '@/gen';
import { formatBrief, formatPercent, formatQuantity } from '@/lib/format';
import { RouteLink } from '@/lib/routeAccess';
import styles from './wall.module.css';

interface HeadlineFigure {
  label: string;
  value: string;
  more: string;
  to: string;
  warns?: boolean;
}

const SLUGGISH_THRESHOLD = 20;
const NO_VALUE = '—';

interface HeadlineProps {
  overview: StockHealth;
  byValue: boolean;
  /** The company that is told of; of all without one. */
  company?: CompanyStock;
}

export function Headline({ overview: whole, byValue, company }: HeadlineProps) {
  const list = `/report/getInventoryInfoList${company ? `?company_id=${company.company_id}` : ''}`;
  const framed = (route: string, opensOn: Record<string, string> = {}) => {
    const query = new URLSearchParams(company ? { ...opensOn, company: company.company_name } : opensOn).toString();
    return query ? `${route}?${query}` : route;
  };
  const figures: HeadlineFigure[] = [
    {
      label: byValue ? '库存金额' : '库存数量',
      value: formatBrief(byValue ? whole.amount : whole.quantity),
      more: byValue ? `${formatBrief(whole.quantity)} 件` : `${formatBrief(whole.goods_count)} 个品种`,
      to: list,
    },
    {
      label: '在库品种',
      value: formatBrief(whole.goods_count),
      more: '按仓库计',
      to: list,
    },
    {
      label: '断货品种',
      value: formatBrief(whole.sold_out_count),
      more: '近 30 天有销售、现无库存，按仓库计',
      to: framed('/report/goodsinventoryrpt', { cover: '断货' }),
      warns: whole.sold_out_count > 0,
    },
    {
      label: '呆滞占比',
      value: formatPercent(whole.sluggish_rate) || NO_VALUE,
      more: `超过 180 天 ${formatBrief(byValue ? whole.sluggish_amount : whole.sluggish_quantity)}`,
      to: framed('/report/sluggishstock', { threshold: '180天以上' }),
      warns: Number(whole.sluggish_rate) >= SLUGGISH_THRESHOLD,
    },
    {
      label: '可售天数',
      value: formatQuantity(whole.cover_days) || NO_VALUE,
      more: `近 30 天销量 ${formatBrief(whole.sales_30)}`,
      to: framed('/report/goodsinventoryrpt'),
    },
    {
      label: '周转天数',
      value: formatQuantity(whole.turnover_days) || NO_VALUE,
      more: byValue ? '近一年，按金额' : '近一年，按数量',
      to: framed('/inventory/CompanyInventoryreport'),
    },
  ];
  return (
    <div className={styles.headline}>
      {figures.map(({ label, value, more, to, warns }) => (
        <RouteLink key={label} to={to} className={warns ? `${styles.figure} ${styles.warns}` : styles.figure}>
          <span>{label}</span>
          <strong>{value}</strong>
          <small>{more}</small>
        </RouteLink>
      ))}
    </div>
  );
}
