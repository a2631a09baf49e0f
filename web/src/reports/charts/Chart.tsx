/** A chart of the console and the stock wall; its chunk holds echarts with what both of them draw. */
import { BarChart, LineChart, PieChart } from 'echarts/charts';
import { GridComponent, LegendComponent, TooltipComponent } from 'echarts/components';
import * as echarts from 'echarts/core';
import { EChart } from '@/lib/EChart';

echarts.use([BarChart, LineChart, PieChart, GridComponent, LegendComponent, TooltipComponent]);

export interface ChartProps {
  option: echarts.EChartsCoreOption;
  height: number | string;
  /** Accessible name of the chart. */
  label: string;
  /** The name of what was clicked. */
  onPick?: (name: string) => void;
}

export default function Chart({ option, height, label, onPick }: ChartProps) {
  return (
    <div role="img" aria-label={label}>
      <EChart
        option={option}
        notMerge
        height={height}
        onEvents={{ click: ({ name }: { name: string }) => onPick?.(name) }}
      />
    </div>
  );
}
