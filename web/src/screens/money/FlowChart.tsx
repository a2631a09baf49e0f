import { BarChart, LineChart } from 'echarts/charts';
import { GridComponent, LegendComponent, TooltipComponent } from 'echarts/components';
import * as echarts from 'echarts/core';
import { EChart } from '@/lib/EChart';
import { formatMoney } from '@/lib/format';
import type { DayFlow } from './summary';

echarts.use([BarChart, LineChart, GridComponent, LegendComponent, TooltipComponent]);

/** Receipts and payments of each day as bars, the balance at its end as a line. */
export default function FlowChart({ days, height }: { days: DayFlow[]; height: number }) {
  const option = {
    color: ['#67C23A', '#F56C6C', '#409EFF'],
    grid: { left: 8, right: 8, top: 36, bottom: 4, containLabel: true },
    legend: { data: ['收款', '付款', '余额'], top: 4 },
    tooltip: { trigger: 'axis', valueFormatter: formatMoney },
    xAxis: { type: 'category', data: days.map(({ day }) => day.slice(5)) },
    yAxis: [{ type: 'value' }, { type: 'value', scale: true, splitLine: { show: false } }],
    series: [
      { name: '收款', type: 'bar', data: days.map(({ received }) => Number(received)) },
      { name: '付款', type: 'bar', data: days.map(({ paid }) => Number(paid)) },
      {
        name: '余额',
        type: 'line',
        yAxisIndex: 1,
        showSymbol: false,
        data: days.map(({ balance }) => Number(balance)),
      },
    ],
  };
  return <EChart option={option} height={height} />;
}
