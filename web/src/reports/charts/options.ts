/** Shared chart options of the console and of the stock wall. */
import { formatBrief } from '@/lib/format';

export const CHART_COLORS = {
  main: '#409EFF',
  before: '#A8B4C2',
  second: '#67C23A',
  third: '#E6A23C',
  fourth: '#F56C6C',
  fifth: '#8E7CC3',
};

/** A figure at an axis or in a tooltip. */
export const formatAxisValue = (value: unknown): string => formatBrief(value);

const AXIS_MARGIN = 1 / 20;

/** Amounts along an axis, which begins at what is a little less than nothing: a whole step of it would be empty. */
export const AMOUNT_AXIS = {
  type: 'value',
  minInterval: 1,
  min: ({ min, max }: { min: number; max: number }) => (min < 0 && -min < max * AXIS_MARGIN ? min : null),
  axisLabel: { formatter: formatAxisValue, hideOverlap: true },
};

export const BASE_OPTIONS = {
  grid: { left: 4, right: 10, top: 34, bottom: 2, containLabel: true },
  tooltip: { trigger: 'axis', valueFormatter: formatAxisValue, confine: true },
};
