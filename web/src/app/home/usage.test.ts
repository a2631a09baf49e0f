import { beforeEach, describe, expect, it } from 'vitest';
import type { MenuNode } from '../menu/menuTree';
import { sortByUse, recordUse } from './usage';

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
    recordUse('/a/three');
    recordUse('/a/three');
    recordUse('/a/two');
    expect(sortByUse(leaves, 3).map((entry) => entry.route)).toEqual(['/a/three', '/a/two', '/a/one']);
    expect(sortByUse(leaves, 1)).toHaveLength(1);
  });

  it('come once, though they stand in two menus', () => {
    const twice = [...leaves, { ...leaf('/b/one'), name: '/a/one' }];
    recordUse('/b/one');
    expect(sortByUse(twice, 4).map((entry) => entry.route)).toEqual(['/b/one', '/a/two', '/a/three']);
  });

  it('belong to one user', () => {
    recordUse('/a/three');
    localStorage.setItem('user_id', '8');
    expect(sortByUse(leaves, 1)[0]?.route).toBe('/a/one');
  });
});
