import { beforeEach, describe, expect, it } from 'vitest';
import type { MenuNode } from '../menu/menuTree';
import { byUse, countUse } from './usage';

const leaf = (route: string): MenuNode => ({
  menu_id: 0,
  name: route,
  route,
  code: '',
  icon: '',
  sort: 0,
  action: [],
  tabRoute: '',
  sub: [],
});
const leaves = ['/a/one', '/a/two', '/a/three'].map(leaf);

beforeEach(() => {
  localStorage.clear();
  localStorage.setItem('user_id', '7');
});

describe('most used entries', () => {
  it('come first, the others in the menu’s order', () => {
    countUse('/a/three');
    countUse('/a/three');
    countUse('/a/two');
    expect(byUse(leaves, 3).map((entry) => entry.route)).toEqual(['/a/three', '/a/two', '/a/one']);
    expect(byUse(leaves, 1)).toHaveLength(1);
  });

  it('come once, though they stand in two menus', () => {
    const twice = [...leaves, { ...leaf('/b/one'), name: '/a/one' }];
    countUse('/b/one');
    expect(byUse(twice, 4).map((entry) => entry.route)).toEqual(['/b/one', '/a/two', '/a/three']);
  });

  it('belong to one user', () => {
    countUse('/a/three');
    localStorage.setItem('user_id', '8');
    expect(byUse(leaves, 1)[0]?.route).toBe('/a/one');
  });
});
