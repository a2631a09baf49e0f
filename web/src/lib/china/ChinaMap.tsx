/** 中国地图: figures by province; the darker, the more. */
import { MapChart } from 'echarts/charts';
import { TooltipComponent, VisualMapComponent } from 'echarts/components';
import * as echarts from 'echarts/core';
import { LabelLayout } from 'echarts/features';
import { useMemo } from 'react';
import { EChart } from '../EChart';
import { escapeHtml } from './escapeHtml';
import outlines from './outlines';
import { findRegion } from './regions';

echarts.use([MapChart, TooltipComponent, VisualMapComponent, LabelLayout]);
echarts.registerMap('china', outlines as unknown as Parameters<typeof echarts.registerMap>[1]);

export interface ProvinceValue {
  province: string;
  value: number;
  /** Lines of the tooltip that describe the value. */
  tooltipLines: string[];
}

export interface ChinaMapProps {
  values: ProvinceValue[];
  height: number | string;
  label: string;
  dark?: boolean;
  chosen?: string;
  onPick?: (province: string) => void;
}

const LIGHT_COLORS = {
  area: '#eef3f8',
  border: '#c3d2e2',
  text: '#4a5a6b',
  halo: '#fff',
  from: '#cfe5fb',
  to: '#1f6fc4',
  over: '#ffd591',
};
const DARK_COLORS = {
  area: '#12294a',
  border: '#2f5f9a',
  text: '#b9d4f5',
  halo: '#0b1a33',
  from: '#1c4f8f',
  to: '#35d0ff',
  over: '#ffb84d',
};

export default function ChinaMap({ values, height, label, dark: isDark = false, chosen, onPick }: ChinaMapProps) {
  const colours = isDark ? DARK_COLORS : LIGHT_COLORS;
  const known = useMemo(
    () =>
      values.flatMap((one) => {
        const region = findRegion(one.province);
        return region ? [{ ...one, region }] : [];
      }),
    [values],
  );
  const option = useMemo(
    () => ({
      tooltip: {
        trigger: 'item',
        formatter: ({ name }: { name: string }) => {
          const found = known.find(({ region }) => region === name);
          return [found?.province ?? name, ...(found?.tooltipLines ?? ['没有数据'])].map(escapeHtml).join('<br>');
        },
      },
      visualMap: {
        show: false,
        min: 0,
        max: Math.max(1, ...known.map(({ value }) => value)),
        inRange: { color: [colours.from, colours.to] },
      },
      series: [
        {
          type: 'map',
          map: 'china',
          ...{ left: 8, right: 8, top: 8, bottom: 8 },
          preserveAspect: 'contain',
          label: { show: false },
          // Neighbours are close to each other on a small map; the list beside it names them all.
          labelLayout: { hideOverlap: true },
          itemStyle: { areaColor: colours.area, borderColor: colours.border },
          emphasis: { label: { show: true, color: colours.text }, itemStyle: { areaColor: colours.over } },
          select: { label: { show: true, color: colours.text }, itemStyle: { areaColor: colours.over } },
          selectedMode: 'single',
          data: known.map(({ region, province, value }) => ({
            name: region,
            value,
            selected: province === chosen,
            label: { show: true, color: colours.text, textBorderColor: colours.halo, textBorderWidth: 2, fontSize: 11 },
          })),
        },
      ],
    }),
    [known, chosen, colours],
  );
  const pick = ({ name }: { name: string }) => {
    const found = known.find(({ region }) => region === name);
    if (found) onPick?.(found.province);
  };
  return (
    <div role="img" aria-label={label}>
      <EChart option={option} height={height} onEvents={{ click: pick }} />
    </div>
  );
}
