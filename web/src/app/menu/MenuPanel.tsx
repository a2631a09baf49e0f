/** Levels two to four of the menu. */
import { Menu, type MenuProps } from 'antd';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { menuHref, menuPlace, type MenuNode } from './menuTree';

interface Props {
  nodes: MenuNode[];
  route: string;
  onJump?: () => void;
}

type Item = NonNullable<MenuProps['items']>[number];

const keyOf = (node: MenuNode) => String(node.menu_id);

function items(nodes: MenuNode[]): Item[] {
  return nodes.map((node) =>
    node.sub.length > 0
      ? { key: keyOf(node), label: node.name, children: items(node.sub) }
      : { key: keyOf(node), label: node.name, title: node.name },
  );
}

function found(nodes: MenuNode[], key: string): MenuNode | undefined {
  for (const node of nodes) {
    const hit = keyOf(node) === key ? node : found(node.sub, key);
    if (hit) return hit;
  }
  return undefined;
}

export function MenuPanel({ nodes, route, onJump }: Props) {
  const navigate = useNavigate();
  const trail = menuPlace(nodes, route);
  const place = trail.at(-1);
  const current = place?.sub.length === 0 ? place : undefined;
  const way = trail.map(keyOf);
  const [shown, setShown] = useState({ way, open: way });
  // Closed but for the way to the page on screen, which opens with each page; what the user opened stays.
  if (shown.way.join() !== way.join()) setShown({ way, open: [...new Set([...shown.open, ...way])] });
  return (
    <Menu
      mode="inline"
      inlineIndent={12}
      items={items(nodes)}
      selectedKeys={current ? [keyOf(current)] : []}
      openKeys={shown.open}
      onOpenChange={(open) => setShown({ way, open })}
      style={{ border: 0, background: 'transparent' }}
      onClick={({ key }) => {
        const node = found(nodes, key);
        if (node) void navigate(menuHref(node));
        onJump?.();
      }}
    />
  );
}
