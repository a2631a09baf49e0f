/** An echarts chart of its container's width; callers register the kinds of charts and parts that they use. */
import ReactECharts from 'echarts-for-react/esm/core';
import type { EChartsReactProps } from 'echarts-for-react/esm/types';
import * as echarts from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { useEffect, useRef } from 'react';

echarts.use([SVGRenderer]);

interface EChartProps extends Pick<EChartsReactProps, 'option' | 'notMerge' | 'onEvents'> {
  height: number | string;
}

export function EChart({ height, ...props }: EChartProps) {
  const chart = useRef<ReactECharts>(null);
  // The library's own watch takes the first change for its start, and a phone turned while a chart comes in stays too wide.
  useEffect(() => {
    const place = chart.current?.ele;
    if (!place) return undefined;
    const observer = new ResizeObserver(() => {
      const drawn = echarts.getInstanceByDom(place);
      const { clientWidth: width, clientHeight: tall } = place;
      // A hidden page measures nothing, and a resize of what fits would cut the first movement short.
      if (!drawn || width === 0 || (drawn.getWidth() === width && drawn.getHeight() === tall)) return;
      drawn.resize({ width: 'auto', height: 'auto' });
    });
    observer.observe(place);
    return () => observer.disconnect();
  }, []);
  return (
    <ReactECharts
      ref={chart}
      echarts={echarts}
      autoResize={false}
      opts={{ renderer: 'svg' }}
      style={{ height }}
      {...props}
    />
  );
}
