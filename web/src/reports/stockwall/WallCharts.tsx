/** 库龄、公司、周转: the wall's charts. */
import type { AgedStock, CompanyStock, StockMonth } from '@/gen';
import { LazyChart } from '../charts/LazyChart';
import { formatAxisValue } from '../charts/options';
import { WallPanel } from './WallPanel';

const TEXT_COLOR = '#9fc0ea';
const LINE_COLOR = '#1d3d6b';
/** From fresh to old. */
const AGE_COLORS = ['#2ecc9b', '#5bc0f8', '#409EFF', '#f5c542', '#f39243', '#ef5b5b'];
const AXIS_STYLE = {
  axisLabel: { color: TEXT_COLOR },
  axisLine: { lineStyle: { color: LINE_COLOR } },
  splitLine: { lineStyle: { color: LINE_COLOR } },
};
const CHART_GRID = { left: 4, right: 14, top: 28, bottom: 2, containLabel: true };
const CHART_HEIGHT = 210;
const MAX_COMPANIES = 8;
/** Width of a company's name (px), which is wrapped onto two lines rather than cut off. */
const NAME_WIDTH = 96;
const NAME_SIZE = 11;
const NAME_HEIGHT = 2 * (NAME_SIZE + 2) + 4;
/** Height of the chart around the bars. */
const BARS_MARGIN = 60;

export function AgingPanel({ aging, byValue }: { aging: AgedStock[]; byValue: boolean }) {
  const measure = byValue ? 'amount' : 'quantity';
  const option = {
    tooltip: { trigger: 'axis', valueFormatter: formatAxisValue, confine: true },
    grid: CHART_GRID,
    xAxis: {
      type: 'category',
      data: aging.map(({ bucket }) => bucket),
      ...AXIS_STYLE,
      axisLabel: { color: TEXT_COLOR, fontSize: 11, interval: 0, rotate: 20 },
    },
    yAxis: {
      type: 'value',
      minInterval: 1,
      ...AXIS_STYLE,
      axisLabel: { color: TEXT_COLOR, formatter: formatAxisValue },
    },
    series: [
      {
        name: byValue ? '库存金额' : '库存数量',
        type: 'bar',
        barMaxWidth: 30,
        data: aging.map((one) => ({
          value: Number(one[measure]),
          itemStyle: { color: AGE_COLORS[bucketIndex(one.bucket)] },
        })),
      },
    ],
  };
  return (
    <WallPanel title={byValue ? '库龄（金额）' : '库龄（数量）'}>
      <LazyChart option={option} height={CHART_HEIGHT} label="各库龄的库存" />
    </WallPanel>
  );
}

/** Buckets without stock are not told of, so a colour goes by the bucket's first day. */
const BUCKET_FIRST_DAYS = [0, 31, 61, 91, 181, 365];
function bucketIndex(bucket: string): number {
  return Math.max(BUCKET_FIRST_DAYS.indexOf(parseInt(bucket, 10)), 0);
}

interface CompaniesProps {
  companies: CompanyStock[];
  byValue: boolean;
  onPick: (company: number) => void;
}

export function CompaniesPanel({ companies, byValue, onPick }: CompaniesProps) {
  const shown = [...companies]
    .sort((a, b) => stockOf(b, byValue) - stockOf(a, byValue))
    .slice(0, MAX_COMPANIES)
    .reverse();
  const option = {
    tooltip: { trigger: 'axis', confine: true, valueFormatter: formatAxisValue },
    legend: { data: ['180 天以内', '呆滞'], textStyle: { color: TEXT_COLOR }, top: 0 },
    grid: CHART_GRID,
    xAxis: {
      type: 'value',
      minInterval: 1,
      ...AXIS_STYLE,
      axisLabel: { color: TEXT_COLOR, formatter: formatAxisValue, hideOverlap: true },
    },
    yAxis: {
      type: 'category',
      data: shown.map(({ company_name }) => company_name),
      ...AXIS_STYLE,
      axisLabel: {
        color: TEXT_COLOR,
        width: NAME_WIDTH,
        fontSize: NAME_SIZE,
        lineHeight: NAME_SIZE + 2,
        overflow: 'break',
        interval: 0,
      },
    },
    series: [
      {
        name: '180 天以内',
        type: 'bar',
        stack: 'stock',
        color: '#409EFF',
        data: shown.map((one) => stockOf(one, byValue) - sluggishOf(one, byValue)),
      },
      {
        name: '呆滞',
        type: 'bar',
        stack: 'stock',
        color: '#ef5b5b',
        data: shown.map((one) => sluggishOf(one, byValue)),
      },
    ],
  };
  const pick = (name: string) => {
    const found = shown.find(({ company_name }) => company_name === name);
    if (found) onPick(found.company_id);
  };
  return (
    <WallPanel title="各公司库存与呆滞">
      <LazyChart
        option={option}
        height={Math.max(CHART_HEIGHT + 30, shown.length * NAME_HEIGHT + BARS_MARGIN)}
        label="各公司的库存与其中的呆滞"
        onPick={pick}
      />
    </WallPanel>
  );
}

const stockOf = (one: CompanyStock, byValue: boolean) => Number(byValue ? one.amount : one.quantity);
const sluggishOf = (one: CompanyStock, byValue: boolean) =>
  Number(byValue ? one.sluggish_amount : one.sluggish_quantity);

export function TurnoverPanel({ months, byValue }: { months: StockMonth[]; byValue: boolean }) {
  const measure = byValue ? 'closing_amount' : 'closing_quantity';
  const option = {
    tooltip: { trigger: 'axis', confine: true, valueFormatter: formatAxisValue },
    legend: { data: ['月末库存', '周转天数'], textStyle: { color: TEXT_COLOR }, top: 0 },
    grid: CHART_GRID,
    xAxis: {
      type: 'category',
      data: months.map(({ month }) => month.slice(2)),
      ...AXIS_STYLE,
      axisLabel: { color: TEXT_COLOR, fontSize: 11, interval: 0, rotate: 45 },
    },
    yAxis: [
      { type: 'value', minInterval: 1, ...AXIS_STYLE, axisLabel: { color: TEXT_COLOR, formatter: formatAxisValue } },
      { type: 'value', ...AXIS_STYLE, splitLine: { show: false } },
    ],
    series: [
      {
        name: '月末库存',
        type: 'bar',
        color: '#2b6cb8',
        barMaxWidth: 22,
        data: months.map((one) => Number(one[measure])),
      },
      {
        name: '周转天数',
        type: 'line',
        yAxisIndex: 1,
        color: '#f5c542',
        connectNulls: true,
        data: months.map((one) => (one.turnover_days === null ? null : Number(one.turnover_days))),
      },
    ],
  };
  return (
    <WallPanel title="库存与周转（近 12 个月）">
      <LazyChart option={option} height={CHART_HEIGHT} label="每月末的库存与周转天数" />
    </WallPanel>
  );
}
