import { describe, expect, it } from 'vitest';
import type { RightNode } from '@/gen';
import { listCodes, filterTree, countTicked, toggle, toggleAll } from './rights';

const leaf = (key: string, title: string, mine = true): RightNode => ({ key, title, mine, roles: 0, children: [] });
const screen: RightNode = {
  key: 'screen unit',
  title: '单位',
  children: [leaf('unit:list', '查看'), leaf('unit:add', '新增'), leaf('unit:del', '删除', false)],
};
const tree: RightNode[] = [
  {
    key: 'module 系统',
    title: '系统管理',
    children: [{ key: 'group 系统 商品', title: '商品设置', children: [screen] }],
  },
];
const none = new Set<string>();

describe('the permission tree', () => {
  it('lets whoever may do something look at it', () => {
    expect([...toggle(none, screen, 'unit:add', true)].sort()).toEqual(['unit:add', 'unit:list']);
  });

  it('takes everything from whoever may not look', () => {
    expect([...toggle(new Set(['unit:list', 'unit:add']), screen, 'unit:list', false)]).toEqual([]);
  });

  it('ticks only what oneself holds, and leaves what others gave', () => {
    expect([...toggleAll(none, tree[0]!, true)].sort()).toEqual(['unit:add', 'unit:list']);
    expect([...toggleAll(new Set(['unit:del', 'unit:add']), screen, false)]).toEqual(['unit:del']);
  });

  it('counts what is held by itself and by bundles', () => {
    expect(countTicked(new Set(['unit:list']), new Set(['unit:add']), screen)).toEqual({
      many: 2,
      every: 3,
      checked: false,
      indeterminate: true,
    });
    expect(listCodes(tree[0]!)).toEqual(['unit:list', 'unit:add', 'unit:del']);
  });

  it.each(['单位', '商品', '删除', 'unit:add'])('finds a screen by %s', (words) => {
    expect(filterTree(tree, words).flatMap(({ children }) => children.flatMap((group) => group.children))).toEqual([
      screen,
    ]);
  });

  it('finds nothing by what nothing is called', () => {
    expect(filterTree(tree, '无此')).toEqual([]);
  });
});
