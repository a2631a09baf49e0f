import { describe, expect, it } from 'vitest';
import outlines from './outlines';
import { findRegion } from './regions';

const provinces = [
  ...[
    '北京市',
    '天津市',
    '河北省',
    '山西省',
    '内蒙古自治区',
    '辽宁省',
    '吉林省',
    '黑龙江省',
    '上海市',
    '江苏省',
    '浙江省',
    '安徽省',
  ],
  ...[
    '福建省',
    '江西省',
    '山东省',
    '河南省',
    '湖北省',
    '湖南省',
    '广东省',
    '广西壮族自治区',
    '海南省',
    '重庆市',
    '四川省',
    '贵州省',
  ],
  ...[
    '云南省',
    '西藏自治区',
    '陕西省',
    '甘肃省',
    '青海省',
    '宁夏回族自治区',
    '新疆维吾尔自治区',
    '台湾省',
    '香港特别行政区',
    '澳门特别行政区',
  ],
];

describe('regions of the map', () => {
  it('has one for each province, and an outline of it', () => {
    const regions = provinces.map(findRegion);
    expect(new Set(regions).size).toBe(34);
    const drawn = outlines.features.map(({ properties }) => properties.name);
    expect(regions.filter((region) => !drawn.includes(region ?? ''))).toEqual([]);
  });

  it('has none for what is no province', () => {
    expect(findRegion('未指定')).toBeNull();
    expect(findRegion('')).toBeNull();
  });
});
