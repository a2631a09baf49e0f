/** The permission tree as the editors tick it: what a click on an action, a screen or a module means. */
import type { RightNode } from '@/gen';

const READ = ':list';

/** Whether a node is an action, which has a code; modules, groups and screens have names with spaces. */
function isCode({ key }: RightNode): boolean {
  return !key.includes(' ');
}

function actionsOf(node: RightNode): RightNode[] {
  return node.children.length > 0 ? node.children.flatMap(actionsOf) : [node].filter(isCode);
}

/** Codes below a node. */
export function codesOf(node: RightNode): string[] {
  return actionsOf(node).map(({ key }) => key);
}

/** Codes below a node that oneself may hand out. */
function mineOf(node: RightNode): string[] {
  return actionsOf(node)
    .filter(({ mine }) => mine !== false)
    .map(({ key }) => key);
}

/**
 * Ticks or unticks one action of a screen. Whoever may do anything on a screen may look at it, and who may not look may do
 * nothing.
 */
export function toggle(held: ReadonlySet<string>, screen: RightNode, code: string, on: boolean): Set<string> {
  const next = new Set(held);
  const read = screen.children.find(({ key }) => key.endsWith(READ));
  if (on) {
    next.add(code);
    if (read && read.mine !== false) next.add(read.key);
  } else if (code === read?.key) for (const one of mineOf(screen)) next.delete(one);
  else next.delete(code);
  return next;
}

/** Ticks or unticks all that is below a node, as far as it is one's own to give. */
export function toggleAll(held: ReadonlySet<string>, node: RightNode, on: boolean): Set<string> {
  const next = new Set(held);
  for (const code of mineOf(node)) {
    if (on) next.add(code);
    else next.delete(code);
  }
  return next;
}

/** Keys of all that has something below it. */
export function branchesOf(nodes: RightNode[]): string[] {
  return nodes.filter(({ children }) => children.length > 0).flatMap(({ key, children }) => [key, ...branchesOf(children)]);
}

/** How much of a node is ticked. */
export function ticked(held: ReadonlySet<string>, bundled: ReadonlySet<string>, node: RightNode) {
  const codes = codesOf(node);
  const many = codes.filter((code) => held.has(code) || bundled.has(code)).length;
  return { many, every: codes.length, checked: many > 0 && many === codes.length, indeterminate: many > 0 && many < codes.length };
}

/** The tree with only what a search finds: screens by their name, their group's or an action's. */
export function found(tree: RightNode[], words: string): RightNode[] {
  const wanted = words.trim().toLowerCase();
  if (!wanted) return tree;
  const fits = (node: RightNode) => node.title.toLowerCase().includes(wanted) || (isCode(node) && node.key.includes(wanted));
  return tree.flatMap((module) => {
    const groups = module.children.flatMap((group) => {
      const screens = fits(group) ? group.children : group.children.filter((screen) => fits(screen) || screen.children.some(fits));
      return screens.length > 0 ? [{ ...group, children: screens }] : [];
    });
    return groups.length > 0 ? [{ ...module, children: groups }] : [];
  });
}
