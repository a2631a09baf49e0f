/** 常用入口: how often the user opened which menu entry in this browser. */
import { userKey } from '@/lib/session';
import type { MenuNode } from '../menu/menuTree';

const KEY = 'menuUsage';

type Usage = Record<string, number>;

function read(): Usage {
  return JSON.parse(localStorage.getItem(userKey(KEY)) ?? '{}') as Usage;
}

export function countUse(route: string): void {
  const usage = read();
  usage[route] = (usage[route] ?? 0) + 1;
  localStorage.setItem(userKey(KEY), JSON.stringify(usage));
}

/** The most used entries first, then the menu's own order; what stands in two menus comes once. */
export function byUse(leaves: readonly MenuNode[], count: number): MenuNode[] {
  const usage = read();
  return leaves
    .map((leaf, at) => ({ leaf, at, used: usage[leaf.route] ?? 0 }))
    .sort((a, b) => b.used - a.used || a.at - b.at)
    .map(({ leaf }) => leaf)
    .filter((leaf, at, all) => all.findIndex(({ name }) => name === leaf.name) === at)
    .slice(0, count);
}
