/** 业务员业绩: who sold most this month, and how his sum grew day by day. */
import { Segmented } from 'antd';
import { useState } from 'react';
import type { Salesmen } from '@/gen';
import { isMasked } from '@/lib/decimal';
import { useOpenReached } from '@/lib/reach';
import { LazyChart } from '../charts/LazyChart';
import { amounts, chartColours, plain } from '../charts/options';
import { useConsole } from './consoleQueries';
import { salesOf, thisMonth } from './leads';
import { Panel } from './Panel';

const views = [
  { value: 'bars', label: '排名' },
  { value: 'curves', label: '走势' },
];
const height = 300;
/** More lines than these are told apart by nobody. */
const curves = 5;
const palette = [chartColours.main, chartColours.second, chartColours.third, chartColours.fourth, chartColours.fifth];

export function SalesmanPanel({ company }: { company: number }) {
  const [view, choose] = useState('bars');
  const openIfReached = useOpenReached();
  const query = useConsole('getSalesmanCharts', { company_id: company });
  return (
    <Panel
      title="业务员业绩（本月）"
      extra={<Segmented size="small" value={view} onChange={choose} options={views} />}
      query={query}
      height={height}
      isEmpty={({ people }) => people.length === 0}
      empty="本月还没有销售"
    >
      {(found) => {
        const names = namesOf(found);
        const open = (name: string) => {
          const person = found.people[names.indexOf(name)];
          if (!person) return;
          const filter = { company_id: person.company_id, employee_id: person.employee_id ?? -1 };
          openIfReached(salesOf(thisMonth(), filter), '销售明细报表');
        };
        const option = view === 'bars' ? bars(found, names) : grown(found, names);
        return <LazyChart option={option} height={height} label="本月业务员销售收入" onPick={view === 'bars' ? open : undefined} />;
      }}
    </Panel>
  );
}

/** Names that are told apart though two people or companies share one. */
function namesOf({ people }: Salesmen): string[] {
  return people.map(({ employee_name, company_name }, at) => {
    const alike = people.filter((other) => other.employee_name === employee_name);
    if (alike.length === 1) return employee_name;
    const beside = alike.filter((other) => other.company_name === company_name).length > 1 ? ` ${at + 1}` : '';
    return `${employee_name}（${company_name}）${beside}`;
  });
}

function bars({ people }: Salesmen, names: string[]) {
  const shown = [...people].reverse();
  const labels = [...names].reverse();
  const withProfit = people.some(({ profit }) => !isMasked(profit));
  return {
    ...plain,
    color: [chartColours.main, chartColours.fifth, chartColours.before],
    legend: { data: ['销售收入', ...(withProfit ? ['毛利'] : []), '上月同期'], top: 0 },
    xAxis: amounts,
    yAxis: { type: 'category', data: labels, axisLabel: { width: 110, overflow: 'truncate' } },
    series: [
      { name: '销售收入', type: 'bar', data: shown.map(({ revenue }) => Number(revenue)) },
      ...(withProfit ? [{ name: '毛利', type: 'bar', data: shown.map(({ profit }) => Number(profit)) }] : []),
      { name: '上月同期', type: 'bar', data: shown.map((one) => Number(one.previous_revenue)) },
    ],
  };
}

function grown({ days, people }: Salesmen, names: string[]) {
  const shown = people.slice(0, curves);
  return {
    ...plain,
    color: palette,
    legend: { data: names.slice(0, curves), top: 0, type: 'plain' },
    grid: { ...plain.grid, top: 56 },
    xAxis: { type: 'category', data: days.map((day) => day.slice(5)) },
    yAxis: amounts,
    series: shown.map(({ curve }, at) => ({ name: names[at], type: 'line', showSymbol: false, data: curve.map(Number) })),
  };
}
