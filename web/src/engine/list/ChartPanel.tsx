/** A list's chart: one figure of the whole filter by one of its columns; a click narrows the list to what it shows. */
import dayjs from 'dayjs';
import { Alert, Select, Space } from 'antd';
import { BarChart, LineChart } from 'echarts/charts';
import { GridComponent, TooltipComponent } from 'echarts/components';
import * as echarts from 'echarts/core';
import { EChart } from '../../lib/EChart';
import { isCancelled } from '../../lib/errors';
import { DATE_FORMAT, formatMoney, formatQuantity, MONTH_FORMAT } from '../../lib/format';
import { isRef, type Chart, type Field } from '../types';
import { labelKey } from './listState';
import type { ListChart } from './useListChart';

echarts.use([BarChart, LineChart, GridComponent, TooltipComponent]);

const CHART_HEIGHT = 200;
/** Maximum number of points drawn as bars; more are a line. */
const MAX_BARS = 31;
/** Maximum number of points with room for longer names. */
const LONG_LABEL_POINTS = 12;

type ChartPoint = Chart['points'][number];

interface ChartPanelProps {
  chart: ListChart;
  onNarrow: (filters: Record<string, string>) => void;
}

export default function ChartPanel({ chart, onNarrow }: ChartPanelProps) {
  const { axis, measure, answer, error, change } = chart;
  const points = answer?.points ?? [];
  const format = measure.type === 'quantity' ? formatQuantity : formatMoney;
  const option = {
    color: ['#409EFF'],
    animation: false,
    grid: { left: 8, right: 16, top: 16, bottom: 4, containLabel: true },
    tooltip: { trigger: 'axis', axisPointer: { type: 'shadow' }, valueFormatter: format, confine: true },
    xAxis: {
      type: 'category',
      data: points.map(({ name }) => name),
      axisLabel: {
        formatter: (name: string) =>
          axis.type === 'date' && name.length === DATE_FORMAT.length ? name.slice('YYYY-'.length) : name,
        ...(points.length > MAX_BARS
          ? {}
          : {
              interval: 0,
              hideOverlap: true,
              width: points.length > LONG_LABEL_POINTS ? 44 : 80,
              overflow: 'truncate',
            }),
      },
    },
    yAxis: { type: 'value' },
    series: [
      {
        name: measure.label,
        type: points.length > MAX_BARS ? 'line' : 'bar',
        barMaxWidth: 36,
        data: points.map(({ value }) => Number(value)),
      },
    ],
  };
  const pick = ({ dataIndex }: { dataIndex: number }) => {
    const point = points[dataIndex];
    const filters = point && buildPointFilter(axis, point);
    if (filters) onNarrow(filters);
  };
  return (
    <section className="list-chart" aria-label="图表">
      <Space size={6}>
        <Select
          aria-label="图表数值"
          value={measure.name}
          options={chart.measures.map(({ name, label }) => ({ value: name, label }))}
          onChange={(name: string) => change({ measure: name })}
          popupMatchSelectWidth={false}
        />
        按
        <Select
          aria-label="图表维度"
          value={axis.name}
          options={chart.axes.map(({ name, label }) => ({ value: name, label }))}
          onChange={(name: string) => change({ axis: name })}
          popupMatchSelectWidth={false}
        />
        {answer && <span className="list-freshness">{describeTotal(answer, format)}</span>}
      </Space>
      {error && !isCancelled(error) ? (
        <Alert type="warning" message={error.message} />
      ) : (
        // Of nothing there is no picture; the list says that it is empty.
        (!answer || points.length > 0) && (
          <EChart option={option} notMerge height={CHART_HEIGHT} onEvents={{ click: pick }} />
        )
      )}
    </section>
  );
}

function describeTotal({ points, groups, total }: Chart, format: (value: unknown) => string): string {
  const all = `合计 ${format(total)}`;
  return groups > points.length ? `${all}，共 ${groups} 项，显示前 ${points.length} 项` : `${all}，共 ${groups} 项`;
}

/** The filters by which a list holds only what a point stands for. */
function buildPointFilter(axis: Field, { key, name }: ChartPoint): Record<string, string> | null {
  if (!axis.search || key === '') return null;
  if (isRef(axis)) return { [axis.name]: key, [labelKey(axis.name)]: name };
  if (axis.type !== 'date') return { [axis.name]: key };
  const unit = key.length === MONTH_FORMAT.length ? 'month' : 'day';
  const day = dayjs(key);
  return {
    [`${axis.name}_start`]: day.startOf(unit).format(DATE_FORMAT),
    [`${axis.name}_end`]: day.endOf(unit).format(DATE_FORMAT),
  };
}
