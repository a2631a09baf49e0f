/** 本月经营动态: sales, purchases, receipts and payments day by day, and their sums beside those of before. */
import type { ActivityMonth } from '@/gen';
import { isMasked } from '@/lib/decimal';
import { formatBrief, formatMoney } from '@/lib/format';
import { useOpenReached } from '@/lib/reach';
import { Lead } from '@/lib/reach';
import { LazyChart } from '../charts/LazyChart';
import { amounts, chartColours, plain } from '../charts/options';
import { Change, type Worse } from './Change';
import styles from './console.module.css';
import { useConsole } from './consoleQueries';
import { daysOf, purchasesOf, receiptsOf, salesOf, summaryOf, type Span } from './leads';
import { Panel } from './Panel';

type Flow = 'revenue' | 'profit' | 'purchase' | 'receipts' | 'payments' | 'new_overdue';

const flows: [Flow, string, string, (span: Span, filter: { company_id: number }) => string, Worse][] = [
  ['revenue', '销售收入', chartColours.main, salesOf, 'fall'],
  ['profit', '毛利', chartColours.fifth, summaryOf, 'fall'],
  ['purchase', '采购', chartColours.third, purchasesOf, 'neither'],
  ['receipts', '收款', chartColours.second, receiptsOf, 'fall'],
  ['payments', '付款', chartColours.fourth, daysOf, 'neither'],
  ['new_overdue', '新增逾期', chartColours.before, daysOf, 'rise'],
];
const drawn = new Set<Flow>(['revenue', 'purchase', 'receipts', 'payments']);
const height = 240;

/** What the user's role shows him of a month. */
export function flowsOf(month: ActivityMonth | undefined) {
  return flows.filter(([name]) => month && month[name] !== null && !isMasked(month[name]));
}

export function MonthActivity({ company }: { company: number }) {
  const openIfReached = useOpenReached();
  const query = useConsole('getMonthCctivityList', { company_id: company });
  return (
    <Panel title="本月经营动态" query={query} height={height + 160}>
      {({ days, months }) => {
        const [month, previous, lastYear] = months;
        if (!month) return null;
        const shown = flowsOf(month);
        // Of a month whose first day runs no whole one is there to be compared.
        const [before, year] = month.first_day < month.last_day ? [previous, lastYear] : [];
        const charted = shown.filter(([name]) => drawn.has(name));
        const option = {
          ...plain,
          color: charted.map(([, , colour]) => colour),
          legend: { data: charted.map(([, label]) => label), top: 0 },
          xAxis: { type: 'category', data: days.map(({ day }) => day.slice(5)) },
          yAxis: amounts,
          series: charted.map(([name, label]) => ({ name: label, type: 'bar', data: days.map((day) => Number(day[name])) })),
        };
        const open = (name: string) => {
          const found = days.find(({ day }) => day.endsWith(name));
          if (found) openIfReached(salesOf([found.day, found.day], { company_id: company }), '销售明细报表');
        };
        return (
          <>
            <div className={styles.sums}>
              {shown.map(([name, label, , lead, worse]) => (
                <Lead key={name} to={lead([month.first_day, month.last_day], { company_id: company })} className={styles.sum}>
                  <span className={styles.label}>{label}</span>
                  <strong title={formatMoney(month[name])}>{formatBrief(month[name])}</strong>
                  <small title={`上月同期 ${formatMoney(previous?.[name])}，去年同期 ${formatMoney(lastYear?.[name])}`}>
                    <span>
                      环比 <Change now={month[name]} before={before?.[name] ?? null} worse={worse} />
                    </span>
                    <span>
                      同比 <Change now={month[name]} before={year?.[name] ?? null} worse={worse} />
                    </span>
                  </small>
                </Lead>
              ))}
            </div>
            <LazyChart option={option} height={height} label="本月每天的销售、采购、收款与付款" onPick={open} />
          </>
        );
      }}
    </Panel>
  );
}
