/** 业务员业绩: best salesmen of the month, and their cumulative sums by day. */
import { Segmented } from 'antd';
import { useState } from 'react';
import type { Salesmen } from '@/gen';
import { isMasked } from '@/lib/decimal';
import { useOpenAccessibleRoute } from '@/lib/routeAccess';
import { LazyChart } from '../charts/LazyChart';
import { AMOUNT_AXIS, CHART_COLORS, BASE_OPTIONS } from '../charts/options';
import { useConsole } from './consoleQueries';
import { salesLink, thisMonth } from './drilldownLinks';
import { ConsolePanel } from './ConsolePanel';

const VIEWS = [
  { value: 'bars', label: '排名' },
  { value: 'curves', label: '走势' },
];
const CHART_HEIGHT = 300;
/** More lines than these are told apart by nobody. */
const MAX_CURVES = 5;
const PALETTE = [CHART_COLORS.main, CHART_COLORS.second, CHART_COLORS.third, CHART_COLORS.fourth, CHART_COLORS.fifth];

export function SalesmanPanel({ company }: { company: number }) {
  const [view, choose] = useState('bars');
  const openIfReached = useOpenAccessibleRoute();
  const query = useConsole('getSalesmanCharts', { company_id: company });
  return (
    <ConsolePanel
      title="业务员业绩（本月）"
      extra={<Segmented size="small" value={view} onChange={choose} options={VIEWS} />}
      query={query}
      height={CHART_HEIGHT}
      isEmpty={({ people }) => people.length === 0}
      empty="本月还没有销售"
    >
      {(found) => {
        const names = formatUniqueNames(found);
        const open = (name: string) => {
          const person = found.people[names.indexOf(name)];
          if (!person) return;
          const filter = { company_id: person.company_id, employee_id: person.employee_id ?? -1 };
          openIfReached(salesLink(thisMonth(), filter), '销售明细报表');
        };
        const option = view === 'bars' ? buildBarChart(found, names) : buildCumulativeChart(found, names);
        return (
          <LazyChart
            option={option}
            height={CHART_HEIGHT}
            label="本月业务员销售收入"
            onPick={view === 'bars' ? open : undefined}
          />
        );
      }}
    </ConsolePanel>
  );
}

/** Names that are told apart though two people or companies share one. */
function formatUniqueNames({ people }: Salesmen): string[] {
  return people.map(({ employee_name, company_name }, at) => {
    const alike = people.filter((other) => other.employee_name === employee_name);
    if (alike.length === 1) return employee_name;
    const suffix = alike.filter((other) => other.company_name === company_name).length > 1 ? ` ${at + 1}` : '';
    return `${employee_name}（${company_name}）${suffix}`;
  });
}

function buildBarChart({ people }: Salesmen, names: string[]) {
  const shown = [...people].reverse();
  const labels = [...names].reverse();
  const withProfit = people.some(({ profit }) => !isMasked(profit));
  return {
    ...BASE_OPTIONS,
    color: [CHART_COLORS.main, CHART_COLORS.fifth, CHART_COLORS.before],
    legend: { data: ['销售收入', ...(withProfit ? ['毛利'] : []), '上月同期'], top: 0 },
    xAxis: AMOUNT_AXIS,
    yAxis: { type: 'category', data: labels, axisLabel: { width: 110, overflow: 'truncate' } },
    series: [
      { name: '销售收入', type: 'bar', data: shown.map(({ revenue }) => Number(revenue)) },
      ...(withProfit ? [{ name: '毛利', type: 'bar', data: shown.map(({ profit }) => Number(profit)) }] : []),
      { name: '上月同期', type: 'bar', data: shown.map((one) => Number(one.previous_revenue)) },
    ],
  };
}

function buildCumulativeChart({ days, people }: Salesmen, names: string[]) {
  const shown = people.slice(0, MAX_CURVES);
  return {
    ...BASE_OPTIONS,
    color: PALETTE,
    legend: { data: names.slice(0, MAX_CURVES), top: 0, type: 'plain' },
    grid: { ...BASE_OPTIONS.grid, top: 56 },
    xAxis: { type: 'category', data: days.map((day) => day.slice(5)) },
    yAxis: AMOUNT_AXIS,
    series: shown.map(({ curve }, at) => ({
      name: names[at],
      type: 'line',
      showSymbol: false,
      data: curve.map(Number),
    })),
  };
}
