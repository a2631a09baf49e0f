/** Rights tree of the editors: the effect of ticking an action, a screen or a module. */
import type { RightNode } from '@/gen';

const READ_SUFFIX = ':list';

/** Return whether a node is an action, which has a code; modules, groups and screens have names with spaces. */
function isCode({ key }: RightNode): boolean {
  return !key.includes(' ');
}

function listActions(node: RightNode): RightNode[] {
  return node.children.length > 0 ? node.children.flatMap(listActions) : [node].filter(isCode);
}

/** Codes below a node. */
export function listCodes(node: RightNode): string[] {
  return listActions(node).map(({ key }) => key);
}

/** Codes below a node that oneself may hand out. */
function listOwnCodes(node: RightNode): string[] {
  return listActions(node)
    .filter(({ mine }) => mine !== false)
    .map(({ key }) => key);
}

/**
 * Ticks or unticks one action of a screen. Whoever may do anything on a screen may look at it, and who may not look may do
 * nothing.
 */
export function toggle(granted: ReadonlySet<string>, screen: RightNode, code: string, on: boolean): Set<string> {
  const next = new Set(granted);
  const read = screen.children.find(({ key }) => key.endsWith(READ_SUFFIX));
  if (on) {
    next.add(code);
    if (read && read.mine !== false) next.add(read.key);
  } else if (code === read?.key) for (const one of listOwnCodes(screen)) next.delete(one);
  else next.delete(code);
  return next;
}

/** Ticks or unticks all that is below a node, as far as it is one's own to give. */
export function toggleAll(granted: ReadonlySet<string>, node: RightNode, on: boolean): Set<string> {
  const next = new Set(granted);
  for (const code of listOwnCodes(node)) {
    if (on) next.add(code);
    else next.delete(code);
  }
  return next;
}

/** Keys of all that has something below it. */
export function listBranches(nodes: RightNode[]): string[] {
  return nodes
    .filter(({ children }) => children.length > 0)
    .flatMap(({ key, children }) => [key, ...listBranches(children)]);
}

/** Count the ticked actions below a node. */
export function countTicked(granted: ReadonlySet<string>, bundled: ReadonlySet<string>, node: RightNode) {
  const codes = listCodes(node);
  const many = codes.filter((code) => granted.has(code) || bundled.has(code)).length;
  return {
    many,
    every: codes.length,
    checked: many > 0 && many === codes.length,
    indeterminate: many > 0 && many < codes.length,
  };
}

/** The tree with only what a search finds: screens by their name, their group's or an action's. */
export function filterTree(tree: RightNode[], words: string): RightNode[] {
  const wanted = words.trim().toLowerCase();
  if (!wanted) return tree;
  const fits = (node: RightNode) =>
    node.title.toLowerCase().includes(wanted) || (isCode(node) && node.key.includes(wanted));
  return tree.flatMap((module) => {
    const groups = module.children.flatMap((group) => {
      const screens = fits(group)
        ? group.children
        : group.children.filter((screen) => fits(screen) || screen.children.some(fits));
      return screens.length > 0 ? [{ ...group, children: screens }] : [];
    });
    return groups.length > 0 ? [{ ...module, children: groups }] : [];
  });
}
