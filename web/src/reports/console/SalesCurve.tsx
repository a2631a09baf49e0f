/** 销售走势: the last 7, 15 or 30 days beside the same days a year ago; a day leads to its lines. */
import { Segmented } from 'antd';
import { useState } from 'react';
import { useOpenAccessibleRoute } from '@/lib/routeAccess';
import { LazyChart } from '../charts/LazyChart';
import { AMOUNT_AXIS, CHART_COLORS, BASE_OPTIONS } from '../charts/options';
import { useConsole } from './consoleQueries';
import { salesLink } from './drilldownLinks';
import { ConsolePanel } from './ConsolePanel';

const DAY_COUNTS = [7, 15, 30];
const CHART_HEIGHT = 380;

export function SalesCurve({ company }: { company: number }) {
  const [span, choose] = useState(15);
  const openIfReached = useOpenAccessibleRoute();
  const query = useConsole('getTodaySalesCaseList', { company_id: company });
  const extra = (
    <Segmented
      size="small"
      value={span}
      onChange={choose}
      options={DAY_COUNTS.map((value) => ({ value, label: `${value}天` }))}
    />
  );
  return (
    <ConsolePanel title="销售走势" extra={extra} query={query} height={CHART_HEIGHT}>
      {({ days }) => {
        const shown = days.slice(-span);
        const option = {
          ...BASE_OPTIONS,
          color: [CHART_COLORS.main, CHART_COLORS.before],
          legend: { data: ['销售收入', '去年同日'], top: 0 },
          xAxis: { type: 'category', data: shown.map(({ day }) => day.slice(5)) },
          yAxis: AMOUNT_AXIS,
          series: [
            {
              name: '销售收入',
              type: 'line',
              smooth: true,
              areaStyle: { opacity: 0.15 },
              data: shown.map(({ revenue }) => Number(revenue)),
            },
            {
              name: '去年同日',
              type: 'line',
              smooth: true,
              showSymbol: false,
              lineStyle: { type: 'dashed' },
              data: shown.map((one) => Number(one.last_year_revenue)),
            },
          ],
        };
        const open = (name: string) => {
          const found = shown.find(({ day }) => day.endsWith(name));
          if (found) openIfReached(salesLink([found.day, found.day], { company_id: company }), '销售明细报表');
        };
        return <LazyChart option={option} height={CHART_HEIGHT} label={`近 ${span} 天销售收入`} onPick={open} />;
      }}
    </ConsolePanel>
  );
}
