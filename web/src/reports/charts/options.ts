/** What the charts of the console and of the stock wall have in common. */
import { formatBrief } from '@/lib/format';

export const chartColours = {
  main: '#409EFF',
  before: '#A8B4C2',
  second: '#67C23A',
  third: '#E6A23C',
  fourth: '#F56C6C',
  fifth: '#8E7CC3',
};

/** A figure at an axis or in a tooltip. */
export const brief = (value: unknown): string => formatBrief(value);

const little = 1 / 20;

/** Amounts along an axis, which begins at what is a little less than nothing: a whole step of it would be empty. */
export const amounts = {
  type: 'value',
  minInterval: 1,
  min: ({ min, max }: { min: number; max: number }) => (min < 0 && -min < max * little ? min : null),
  axisLabel: { formatter: brief, hideOverlap: true },
};

export const plain = {
  grid: { left: 4, right: 10, top: 34, bottom: 2, containLabel: true },
  tooltip: { trigger: 'axis', valueFormatter: brief, confine: true },
};
