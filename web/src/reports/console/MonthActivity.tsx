/** 本月经营动态: sales, purchases, receipts and payments day by day, and their sums beside those of before. */
import type { ActivityMonth } from '@/gen';
import { isMasked } from '@/lib/decimal';
import { formatBrief, formatMoney } from '@/lib/format';
import { useOpenAccessibleRoute } from '@/lib/routeAccess';
import { RouteLink } from '@/lib/routeAccess';
import { LazyChart } from '../charts/LazyChart';
import { AMOUNT_AXIS, CHART_COLORS, BASE_OPTIONS } from '../charts/options';
import { ChangeRate, type BadDirection } from './ChangeRate';
import styles from './console.module.css';
import { useConsole } from './consoleQueries';
import { daysLink, purchasesLink, receiptsLink, salesLink, summaryLink, type DaySpan } from './drilldownLinks';
import { ConsolePanel } from './ConsolePanel';

type ActivityFlow = 'revenue' | 'profit' | 'purchase' | 'receipts' | 'payments' | 'new_overdue';

const ACTIVITY_FLOWS: [
  ActivityFlow,
  string,
  string,
  (span: DaySpan, filter: { company_id: number }) => string,
  BadDirection,
][] = [
  ['revenue', '销售收入', CHART_COLORS.main, salesLink, 'fall'],
  ['profit', '毛利', CHART_COLORS.fifth, summaryLink, 'fall'],
  ['purchase', '采购', CHART_COLORS.third, purchasesLink, 'neither'],
  ['receipts', '收款', CHART_COLORS.second, receiptsLink, 'fall'],
  ['payments', '付款', CHART_COLORS.fourth, daysLink, 'neither'],
  ['new_overdue', '新增逾期', CHART_COLORS.before, daysLink, 'rise'],
];
const CHARTED_FLOWS = new Set<ActivityFlow>(['revenue', 'purchase', 'receipts', 'payments']);
const CHART_HEIGHT = 240;

/** Return the figures of a month that the user's role may see. */
export function listFlows(month: ActivityMonth | undefined) {
  return ACTIVITY_FLOWS.filter(([name]) => month && month[name] !== null && !isMasked(month[name]));
}

export function MonthActivity({ company }: { company: number }) {
  const openIfReached = useOpenAccessibleRoute();
  const query = useConsole('getMonthCctivityList', { company_id: company });
  return (
    <ConsolePanel title="本月经营动态" query={query} height={CHART_HEIGHT + 160}>
      {({ days, months }) => {
        const [month, previous, lastYear] = months;
        if (!month) return null;
        const shown = listFlows(month);
        // Of a month whose first day runs no whole one is there to be compared.
        const [before, year] = month.first_day < month.last_day ? [previous, lastYear] : [];
        const charted = shown.filter(([name]) => CHARTED_FLOWS.has(name));
        const option = {
          ...BASE_OPTIONS,
          color: charted.map(([, , colour]) => colour),
          legend: { data: charted.map(([, label]) => label), top: 0 },
          xAxis: { type: 'category', data: days.map(({ day }) => day.slice(5)) },
          yAxis: AMOUNT_AXIS,
          series: charted.map(([name, label]) => ({
            name: label,
            type: 'bar',
            data: days.map((day) => Number(day[name])),
          })),
        };
        const open = (name: string) => {
          const found = days.find(({ day }) => day.endsWith(name));
          if (found) openIfReached(salesLink([found.day, found.day], { company_id: company }), '销售明细报表');
        };
        return (
          <>
            <div className={styles.sums}>
              {shown.map(([name, label, , lead, worse]) => (
                <RouteLink
                  key={name}
                  to={lead([month.first_day, month.last_day], { company_id: company })}
                  className={styles.sum}
                >
                  <span className={styles.label}>{label}</span>
                  <strong title={formatMoney(month[name])}>{formatBrief(month[name])}</strong>
                  <small title={`上月同期 ${formatMoney(previous?.[name])}，去年同期 ${formatMoney(lastYear?.[name])}`}>
                    <span>
                      环比 <ChangeRate now={month[name]} before={before?.[name] ?? null} worse={worse} />
                    </span>
                    <span>
                      同比 <ChangeRate now={month[name]} before={year?.[name] ?? null} worse={worse} />
                    </span>
                  </small>
                </RouteLink>
              ))}
            </div>
            <LazyChart option={option} height={CHART_HEIGHT} label="本月每天的销售、采购、收款与付款" onPick={open} />
          </>
        );
      }}
    </ConsolePanel>
  );
}
