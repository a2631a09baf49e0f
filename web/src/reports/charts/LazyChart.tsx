import { lazy, Suspense } from 'react';
import type { ChartProps } from './Chart';
import type { ChinaMapProps } from '@/lib/china/ChinaMap';

const Chart = lazy(() => import('./Chart'));
const ChinaMap = lazy(() => import('@/lib/china/ChinaMap'));

/** A chart that keeps its place while echarts is being brought in. */
export function LazyChart(props: ChartProps) {
  return (
    <Suspense fallback={<div style={{ height: props.height }} />}>
      <Chart {...props} />
    </Suspense>
  );
}

/** The map of China, likewise; its outlines come with it. */
export function LazyMap(props: ChinaMapProps) {
  return (
    <Suspense fallback={<div style={{ height: props.height }} />}>
      <ChinaMap {...props} />
    </Suspense>
  );
}
