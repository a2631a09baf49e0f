import { describe, expect, it } from 'vitest';
import {
  menuHref,
  listLeaves,
  menuOptions,
  findMenuPlace,
  menuTrail,
  matchesEntry,
  shortenName,
  sortMenu,
  type MenuNode,
} from './menuTree';

let nextId = 1;
const node = (name: string, route = '', sub: MenuNode[] = [], extra: Partial<MenuNode> = {}): MenuNode => ({
  menu_id: nextId++,
  name,
  route,
  code: route,
  icon: '',
  sort: nextId,
  action: [],
  tabRoute: '',
  sub,
  ...extra,
});

const tree = [
  node('销售管理', '', [
    node('销售出库', '/sales/salesout'),
    node('销售退货', '/sales/salesrefund', [], { pages: ['/sales/salesReturnAdd', '/sales/salesReturnSee'] }),
    node('待出库', '/sales/salesout', [], { tabRoute: '?status=1' }),
    node('空目录', '', []),
  ]),
  node('报表', '', [node('经营分析', '', [node('畅销', '', [node('畅销商品', '/report/BestSeller')])])]),
];

describe('menu tree', () => {
  it('shows the first 2 characters of first-level names', () => {
    expect(shortenName('销售管理')).toBe('销售');
    expect(shortenName('库')).toBe('库');
  });

  it('carries tabRoute as a query', () => {
    expect(menuHref(node('x', '/a/b', [], { tabRoute: 'k=1' }))).toBe('/a/b?k=1');
    expect(menuHref(node('x', '/a/b'))).toBe('/a/b');
  });

  it('sorts by sort and keeps at most four levels', () => {
    const deep = [node('1', '', [node('2', '', [node('3', '', [node('4', '/d', [node('5', '/e')])])])])];
    expect(listLeaves(sortMenu(deep)).map((leaf) => leaf.name)).toEqual(['4']);
    const [first] = sortMenu([node('b', '/b', [], { sort: 2 }), node('a', '/a', [], { sort: 1 })]);
    expect(first?.name).toBe('a');
  });

  it('offers every screen to the search and no empty folder', () => {
    const [sales, reports] = menuOptions(tree);
    expect(sales?.children?.map((option) => option.value)).toEqual([
      '/sales/salesout',
      '/sales/salesrefund',
      '/sales/salesout?status=1',
    ]);
    expect(reports?.children?.[0]?.children?.[0]?.children?.[0]).toEqual({
      value: '/report/BestSeller',
      label: '畅销商品',
      initials: '',
    });
  });

  it('is searched by name and by every reading of its initials', () => {
    const [found] = menuOptions([node('会计单据', '/bills', [], { initials: 'KJDJ HJDJ' })]);
    const matched = ['会计', 'kjd', ' HJDJ ', 'xs'].map((words) => matchesEntry(words, [found!]));
    expect(matched).toEqual([true, true, true, false]);
  });

  it('finds the entry of a route, the exact query first', () => {
    expect(menuTrail(tree, '/sales/salesout?status=1').map((entry) => entry.name)).toEqual(['销售管理', '待出库']);
    expect(menuTrail(tree, '/sales/salesout?id=9').map((entry) => entry.name)).toEqual(['销售管理', '销售出库']);
    expect(menuTrail(tree, '/report/BestSeller')).toHaveLength(4);
    expect(menuTrail(tree, '/nowhere')).toEqual([]);
  });

  it('places a page without an entry at the list it belongs to, or in its module', () => {
    expect(findMenuPlace(tree, '/sales/salesoutSee?id=1').map((entry) => entry.name)).toEqual(['销售管理', '销售出库']);
    expect(findMenuPlace(tree, '/sales/salesReturnSee?id=1').map((entry) => entry.name)).toEqual([
      '销售管理',
      '销售退货',
    ]);
    expect(findMenuPlace(tree, '/sales/other').map((entry) => entry.name)).toEqual(['销售管理']);
    expect(findMenuPlace(tree, '/nowhere')).toEqual([]);
  });
});
