/** 左侧菜单: reading the menu tree that the server answers for the user's role. */

import type { MenuNode } from '@/gen';

export type { MenuNode };

export interface MenuOption {
  value: string;
  label: string;
  initials: string;
  children?: MenuOption[];
}

const MAX_LEVEL = 4;

/** The address an entry opens: its route, with its tabRoute as the query. */
export function menuHref(node: MenuNode): string {
  const query = node.tabRoute.replace(/^\?/, '');
  return query ? `${node.route}?${query}` : node.route;
}

/** First-level entries show the first 2 characters of their names. */
export function shortenName(name: string): string {
  return Array.from(name).slice(0, 2).join('');
}

export function sortMenu(nodes: readonly MenuNode[], level = 1): MenuNode[] {
  return [...nodes]
    .sort((a, b) => a.sort - b.sort)
    .map((node) => ({ ...node, sub: level < MAX_LEVEL ? sortMenu(node.sub, level + 1) : [] }));
}

export function listLeaves(nodes: readonly MenuNode[]): MenuNode[] {
  return nodes.flatMap((node) => (node.sub.length > 0 ? listLeaves(node.sub) : node.route ? [node] : []));
}

/** Options of the search cascader; an entry without screens below it is left out. */
export function menuOptions(nodes: readonly MenuNode[]): MenuOption[] {
  return nodes.flatMap((node): MenuOption[] => {
    if (node.sub.length === 0)
      return node.route ? [{ value: menuHref(node), label: node.name, initials: node.initials ?? '' }] : [];
    const children = menuOptions(node.sub);
    return children.length > 0
      ? [{ value: `menu:${node.menu_id}`, label: node.name, initials: node.initials ?? '', children }]
      : [];
  });
}

/** Return whether the words are in the name or the initials of an entry or of one of its ancestors. */
export function matchesEntry(words: string, path: readonly MenuOption[]): boolean {
  const wanted = words.trim().toLowerCase();
  return path.some(({ label, initials }) => [label, initials].some((text) => text.toLowerCase().includes(wanted)));
}

/** The entries from the first level down to the one a route belongs to; empty when the menu has none. */
export function menuTrail(nodes: readonly MenuNode[], route: string): MenuNode[] {
  const [path = ''] = route.split('?');
  const bestOf = (matches: (node: MenuNode) => boolean): MenuNode[] => {
    const search = (level: readonly MenuNode[]): MenuNode[] => {
      for (const node of level) {
        if (node.sub.length === 0 && matches(node)) return [node];
        const below = search(node.sub);
        if (below.length > 0) return [node, ...below];
      }
      return [];
    };
    return search(nodes);
  };
  const exact = bestOf((node) => menuHref(node) === route);
  return exact.length > 0 ? exact : bestOf((node) => node.route === path);
}

/**
 * Find the menu path of a page without an entry of its own: the entry that names it, or whose route is a prefix of its
 * route, else its module.
 */
export function findMenuPlace(nodes: readonly MenuNode[], route: string): MenuNode[] {
  const own = menuTrail(nodes, route);
  if (own.length > 0) return own;
  const [path = ''] = route.split('?');
  const [first = ''] = path.split('/').filter(Boolean);
  const leaves = listLeaves(nodes);
  const list = leaves.find((leaf) => leaf.pages?.includes(path));
  if (list) return menuTrail(nodes, list.route);
  const neighbours = leaves.filter((leaf) => leaf.route.startsWith(`/${first}/`));
  const [parent] = neighbours
    .filter((leaf) => path.startsWith(leaf.route))
    .sort((a, b) => b.route.length - a.route.length);
  if (parent) return menuTrail(nodes, parent.route);
  const [neighbour] = neighbours;
  return neighbour ? menuTrail(nodes, neighbour.route).slice(0, 1) : [];
}
