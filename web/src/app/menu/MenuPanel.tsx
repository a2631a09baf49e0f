/** Levels two to four of the menu. */
import { Menu, type MenuProps } from 'antd';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { menuHref, findMenuPlace, type MenuNode } from './menuTree';

interface Props {
  nodes: MenuNode[];
  route: string;
  onJump?: () => void;
}

type Item = NonNullable<MenuProps['items']>[number];

const menuKey = (node: MenuNode) => String(node.menu_id);

function buildItems(nodes: MenuNode[]): Item[] {
  return nodes.map((node) =>
    node.sub.length > 0
      ? { key: menuKey(node), label: node.name, children: buildItems(node.sub) }
      : { key: menuKey(node), label: node.name, title: node.name },
  );
}

function findNode(nodes: MenuNode[], key: string): MenuNode | undefined {
  for (const node of nodes) {
    const hit = menuKey(node) === key ? node : findNode(node.sub, key);
    if (hit) return hit;
  }
  return undefined;
}

export function MenuPanel({ nodes, route, onJump }: Props) {
  const navigate = useNavigate();
  const trail = findMenuPlace(nodes, route);
  const place = trail.at(-1);
  const current = place?.sub.length === 0 ? place : undefined;
  const way = trail.map(menuKey);
  const [shown, setShown] = useState({ way, open: way });
  // Closed but for the way to the page on screen, which opens with each page; what the user opened stays.
  if (shown.way.join() !== way.join()) setShown({ way, open: [...new Set([...shown.open, ...way])] });
  return (
    <Menu
      mode="inline"
      inlineIndent={12}
      items={buildItems(nodes)}
      selectedKeys={current ? [menuKey(current)] : []}
      openKeys={shown.open}
      onOpenChange={(open) => setShown({ way, open })}
      style={{ border: 0, background: 'transparent' }}
      onClick={({ key }) => {
        const node = findNode(nodes, key);
        if (node) void navigate(menuHref(node));
        onJump?.();
      }}
    />
  );
}
