/** Shortcuts of the bill chain, the same on every page that supports them. F1 shows them. */
import { useEffect, useLayoutEffect, useRef, useSyncExternalStore } from 'react';

interface Shortcut {
  combo: string;
  label: string;
}

/** Keys of a bill's way through the house, wherever it stands. */
export const BILL_SHORTCUTS = {
  save: { combo: 'Ctrl+S', label: '保存' },
  audit: { combo: 'F8', label: '审核；录单时保存并审核' },
  print: { combo: 'F9', label: '打印' },
  money: { combo: 'F10', label: '收款、付款' },
  add: { combo: 'Alt+N', label: '新增；录单时保存并新增' },
  edit: { combo: 'F4', label: '修改' },
  source: { combo: 'F7', label: '选择来源明细、核销明细' },
  draw: { combo: 'Alt+R', label: '到“生成……”：出库、入库、退货' },
  previous: { combo: 'Alt+PageUp', label: '上一张' },
  next: { combo: 'Alt+PageDown', label: '下一张' },
  pending: { combo: 'F6', label: '下一张待审核' },
  find: { combo: 'F3', label: '到扫码框；列表到关键字' },
  recall: { combo: 'Alt+5', label: '取单' },
  help: { combo: 'F1', label: '按键表' },
} as const satisfies Record<string, Shortcut>;

/** Keys inside a grid of lines. */
export const GRID_SHORTCUTS = {
  goods: { combo: 'Alt+1', label: '选择商品' },
  quantity: { combo: 'Alt+2', label: '到数量' },
  price: { combo: 'Alt+3', label: '到单价' },
  discount: { combo: 'Alt+4', label: '到优惠金额' },
  enter: { combo: 'Enter', label: '下一格，末格换行' },
  nextLine: { combo: 'Ctrl+Enter', label: '到下一行' },
  tab: { combo: 'Tab', label: '下一格，经过选填的格' },
  open: { combo: 'F2', label: '修改单元格；打开选项' },
  copyAbove: { combo: 'Ctrl+D', label: '复制上行' },
  insert: { combo: 'Ctrl+Insert', label: '插入行' },
  remove: { combo: 'Ctrl+Delete', label: '删除行' },
} as const satisfies Record<string, Shortcut>;

export type BillShortcut = keyof typeof BILL_SHORTCUTS;

/**
 * Return the name of a pressed key combination, by the position of a letter or digit, independent of the input method.
 */
export function keyCombo({ ctrlKey, metaKey, altKey, shiftKey, code, key }: KeyboardEvent): string {
  const plain = /^(?:Key|Digit)(.)$/.exec(code)?.[1] ?? key;
  return [
    ctrlKey || metaKey ? 'Ctrl' : '',
    altKey ? 'Alt' : '',
    shiftKey ? 'Shift' : '',
    plain.length === 1 ? plain.toUpperCase() : plain,
  ]
    .filter(Boolean)
    .join('+');
}

const SHORTCUT_BY_COMBO = new Map<string, BillShortcut>(
  Object.entries(BILL_SHORTCUTS).map(([name, { combo }]) => [combo, name as BillShortcut]),
);

interface ShortcutHandler {
  name: BillShortcut;
  inDialog: boolean;
  onPress: () => void;
}

let handlers: readonly ShortcutHandler[] = [];
const listeners = new Set<() => void>();

function setHandlers(next: readonly ShortcutHandler[]): void {
  if (handlers.length === 0 && next.length > 0) window.addEventListener('keydown', handleKeyDown);
  if (next.length === 0) window.removeEventListener('keydown', handleKeyDown);
  handlers = next;
  for (const listener of listeners) listener();
}

function handleKeyDown(event: KeyboardEvent): void {
  const name = event.defaultPrevented || event.isComposing ? undefined : SHORTCUT_BY_COMBO.get(keyCombo(event));
  const inDialog = isDialogOpen();
  const handler = name && handlers.findLast((one) => one.name === name && (one.inDialog || !inDialog));
  if (!handler) return;
  event.preventDefault();
  if (!event.repeat) handler.onPress();
}

/** Return whether a dialog is open, below which page shortcuts are ignored. */
export function isDialogOpen(): boolean {
  return [...document.querySelectorAll<HTMLElement>('.ant-modal-wrap')].some(
    (one) => one.style.display !== 'none' && one.closest('[hidden]') === null,
  );
}

/** A key of the chain anywhere on the page, while `on`; `inDialog` also while a dialog is open, as which it was drawn. */
export function usePageShortcut(name: BillShortcut, on: boolean, act: () => void, inDialog = false): void {
  const latest = useRef(act);
  useLayoutEffect(() => {
    latest.current = act;
  });
  useEffect(() => {
    if (!on) return undefined;
    const handler = { name, inDialog, onPress: () => latest.current() };
    setHandlers([...handlers, handler]);
    return () => setHandlers(handlers.filter((one) => one !== handler));
  }, [name, on, inDialog]);
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
const getHandlers = () => handlers;

/** The keys that do something on the page in sight. */
export function useActiveShortcuts(): Set<BillShortcut> {
  return new Set(useSyncExternalStore(subscribe, getHandlers).map(({ name }) => name));
}
