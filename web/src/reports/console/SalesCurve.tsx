/** 销售走势: the last 7, 15 or 30 days beside the same days a year ago; a day leads to its lines. */
import { Segmented } from 'antd';
import { useState } from 'react';
import { useOpenReached } from '@/lib/reach';
import { LazyChart } from '../charts/LazyChart';
import { amounts, chartColours, plain } from '../charts/options';
import { useConsole } from './consoleQueries';
import { salesOf } from './leads';
import { Panel } from './Panel';

const spans = [7, 15, 30];
const height = 380;

export function SalesCurve({ company }: { company: number }) {
  const [span, choose] = useState(15);
  const openIfReached = useOpenReached();
  const query = useConsole('getTodaySalesCaseList', { company_id: company });
  const extra = (
    <Segmented size="small" value={span} onChange={choose} options={spans.map((value) => ({ value, label: `${value}天` }))} />
  );
  return (
    <Panel title="销售走势" extra={extra} query={query} height={height}>
      {({ days }) => {
        const shown = days.slice(-span);
        const option = {
          ...plain,
          color: [chartColours.main, chartColours.before],
          legend: { data: ['销售收入', '去年同日'], top: 0 },
          xAxis: { type: 'category', data: shown.map(({ day }) => day.slice(5)) },
          yAxis: amounts,
          series: [
            { name: '销售收入', type: 'line', smooth: true, areaStyle: { opacity: 0.15 }, data: shown.map(({ revenue }) => Number(revenue)) },
            { name: '去年同日', type: 'line', smooth: true, showSymbol: false, lineStyle: { type: 'dashed' }, data: shown.map((one) => Number(one.last_year_revenue)) },
          ],
        };
        const open = (name: string) => {
          const found = shown.find(({ day }) => day.endsWith(name));
          if (found) openIfReached(salesOf([found.day, found.day], { company_id: company }), '销售明细报表');
        };
        return <LazyChart option={option} height={height} label={`近 ${span} 天销售收入`} onPick={open} />;
      }}
    </Panel>
  );
}
