import { expect, it } from 'vitest';
import { REGION_TREE } from './fixtures';
import { findRegions, toRegionNames, findRegionByNames, formatRegion, type Region } from './regionTree';

const text = (region: Region) => formatRegion(toRegionNames(region));
const named = (province: string, city: string, district: string) =>
  text(findRegionByNames(REGION_TREE, { province, city, district }));

it.each([
  [['浙江省', '杭州市', '西湖区'], '浙江省杭州市西湖区'],
  // A municipality: its city goes by its own name, by none, or by what lies in it.
  [['上海市', '上海市', '闵行区'], '上海市闵行区'],
  [['上海市', '', '闵行区'], '上海市闵行区'],
  // A county right below its province has no city of its own to the provider, or another than here.
  [['浙江省', '', '义乌市'], '浙江省金华市义乌市'],
  [['浙江省', '杭州市', '义乌市'], '浙江省金华市义乌市'],
  // What isn't known ends the region.
  [['浙江省', '杭州市', '钱塘新区'], '浙江省杭州市'],
  [['浙江省', '温州市', '鹿城区'], '浙江省'],
  [['火星', '', ''], ''],
  [['浙江', '杭州', '西湖'], '浙江省杭州市西湖区'],
])('%j is a region', ([province = '', city = '', district = ''], expected) => {
  expect(named(province, city, district)).toBe(expected);
});

it('is found by a part of its name, and by how its initials begin', () => {
  expect(findRegions(REGION_TREE, '西').map(text)).toEqual(['浙江省杭州市西湖区']);
  expect(findRegions(REGION_TREE, 'xh').map(text)).toEqual(['浙江省杭州市西湖区']);
  expect(findRegions(REGION_TREE, 'MH').map(text)).toEqual(['上海市闵行区']);
  expect(findRegions(REGION_TREE, '海').map(text)).toEqual(['上海市']);
  expect(findRegions(REGION_TREE, ' ')).toEqual([]);
});
