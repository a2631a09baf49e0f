/**
 * 今日销售: today's figures so far, beside those of yesterday and of the same day a year ago; each links to its details. No
 * change is shown: bills have a date but no hour, and part of a day can't be compared with a whole one.
 */
import type { SalesCase } from '@/gen';
import { isMasked } from '@/lib/decimal';
import { formatBrief, formatMoney, formatPercent } from '@/lib/format';
import { RouteLink } from '@/lib/routeAccess';
import styles from './console.module.css';
import { useConsole } from './consoleQueries';
import { ordersLink, outboundLink, receiptsLink, salesLink, summaryLink, type DaySpan } from './drilldownLinks';
import { ConsolePanel } from './ConsolePanel';

type CaseFigure = 'order_amount' | 'amount' | 'revenue' | 'profit' | 'receipts';

const CASE_FIGURES: [
  CaseFigure,
  string,
  (span: DaySpan, filter: { company_id: number }) => string,
  (one: SalesCase) => string,
][] = [
  ['order_amount', '销售订单', ordersLink, (one) => `${one.order_count} 张`],
  ['amount', '出库金额', outboundLink, (one) => `${one.bill_count} 张`],
  ['revenue', '销售收入（未税）', salesLink, () => ''],
  [
    'profit',
    '毛利',
    summaryLink,
    (one) => (one.margin && !isMasked(one.margin) ? `毛利率 ${formatPercent(one.margin)}` : ''),
  ],
  ['receipts', '收款', receiptsLink, () => ''],
];

export function TodayCases({ company }: { company: number }) {
  const query = useConsole('getTodaySalesCaseList', { company_id: company });
  return (
    <ConsolePanel title="今日销售" extra={<small>到目前为止，不与整天比变化</small>} query={query} height={92}>
      {({ cases }) => {
        const [today, yesterday, lastYear] = cases;
        if (!today || !yesterday || !lastYear) return null;
        // What the user's role hides or does not reach is left out; a card of nothing helps nobody.
        const shown = CASE_FIGURES.filter(([name]) => today[name] !== null && !isMasked(today[name]));
        return (
          <div className={styles.cases}>
            {shown.map(([name, label, lead, more]) => (
              <RouteLink key={name} to={lead([today.day, today.day], { company_id: company })} className={styles.case}>
                <span className={styles.label}>
                  {label}
                  <small>{more(today)}</small>
                </span>
                <strong title={formatMoney(today[name])}>{formatBrief(today[name])}</strong>
                <span className={styles.compared}>昨天全天 {formatBrief(yesterday[name])}</span>
                <span className={styles.compared}>去年同日全天 {formatBrief(lastYear[name])}</span>
              </RouteLink>
            ))}
          </div>
        );
      }}
    </ConsolePanel>
  );
}
