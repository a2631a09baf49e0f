/** A chart of the console and the stock wall; its chunk holds echarts with what both of them draw. */
import ReactECharts from 'echarts-for-react/esm/core';
import { BarChart, LineChart, PieChart } from 'echarts/charts';
import { GridComponent, LegendComponent, TooltipComponent } from 'echarts/components';
import * as echarts from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';

echarts.use([BarChart, LineChart, PieChart, GridComponent, LegendComponent, TooltipComponent, SVGRenderer]);

export interface ChartProps {
  option: echarts.EChartsCoreOption;
  height: number | string;
  /** What it shows, for who can't see it. */
  label: string;
  /** The name of what was clicked. */
  onPick?: (name: string) => void;
}

export default function Chart({ option, height, label, onPick }: ChartProps) {
  return (
    <div role="img" aria-label={label}>
      <ReactECharts
        echarts={echarts}
        option={option}
        notMerge
        opts={{ renderer: 'svg' }}
        style={{ height }}
        onEvents={{ click: ({ name }: { name: string }) => onPick?.(name) }}
      />
    </div>
  );
}
