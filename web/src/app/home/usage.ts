/** 常用入口: the number of times that the user opened each menu entry in this browser. */
import { userKey } from '@/lib/session';
import type { MenuNode } from '../menu/menuTree';

const USAGE_KEY = 'menuUsage';

type Usage = Record<string, number>;

function readUsage(): Usage {
  return JSON.parse(localStorage.getItem(userKey(USAGE_KEY)) ?? '{}') as Usage;
}

export function recordUse(route: string): void {
  const usage = readUsage();
  usage[route] = (usage[route] ?? 0) + 1;
  localStorage.setItem(userKey(USAGE_KEY), JSON.stringify(usage));
}

/** The most used entries first, then the menu's own order; what stands in two menus comes once. */
export function sortByUse(leaves: readonly MenuNode[], count: number): MenuNode[] {
  const usage = readUsage();
  return leaves
    .map((leaf, at) => ({ leaf, at, used: usage[leaf.route] ?? 0 }))
    .sort((a, b) => b.used - a.used || a.at - b.at)
    .map(({ leaf }) => leaf)
    .filter((leaf, at, all) => all.findIndex(({ name }) => name === leaf.name) === at)
    .slice(0, count);
}
