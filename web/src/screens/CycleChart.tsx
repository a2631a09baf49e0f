import { BarChart, LineChart } from 'echarts/charts';
import { GridComponent, LegendComponent, TooltipComponent } from 'echarts/components';
import * as echarts from 'echarts/core';
import type { CyclePoint } from '@/gen';
import { EChart } from '@/lib/EChart';

echarts.use([BarChart, LineChart, GridComponent, LegendComponent, TooltipComponent]);

const FAILED_COLOR = '#F56C6C';

/** Seconds and lag of each cycle, and the rows that it read; failed ones in red. */
export default function CycleChart({ points, height }: { points: CyclePoint[]; height: number }) {
  const option = {
    color: ['#409EFF', '#E6A23C', '#67C23A'],
    grid: { left: 8, right: 8, top: 36, bottom: 4, containLabel: true },
    legend: { data: ['用时(秒)', '滞后(秒)', '读取行数'], top: 4 },
    tooltip: { trigger: 'axis' },
    xAxis: { type: 'category', data: points.map(({ ended_at }) => ended_at.slice(5)) },
    yAxis: [{ type: 'value' }, { type: 'value', splitLine: { show: false } }],
    series: [
      {
        name: '用时(秒)',
        type: 'bar',
        data: points.map((point) => ({
          value: point.seconds,
          itemStyle: point.failed ? { color: FAILED_COLOR } : undefined,
        })),
      },
      { name: '滞后(秒)', type: 'line', showSymbol: false, connectNulls: true, data: points.map(({ lag }) => lag) },
      { name: '读取行数', type: 'line', yAxisIndex: 1, showSymbol: false, data: points.map(({ rows }) => rows) },
    ],
  };
  return <EChart option={option} height={height} />;
}
