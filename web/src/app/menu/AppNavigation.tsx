/** 应用导航 of the simple layout: the first-level entries in a row, each with the levels below it. */
import { HomeOutlined } from '@ant-design/icons';
import { Popover } from 'antd';
import { memo, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { HOME_ROUTE } from '../tabs/tabState';
import { menuIcon } from './icons';
import styles from './menu.module.css';
import { MenuPanel } from './MenuPanel';
import { menuHref, findMenuPlace, type MenuNode } from './menuTree';

export const AppNavigation = memo(function AppNavigation({ menu }: { menu: MenuNode[] }) {
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  const route = pathname + search;
  const here = findMenuPlace(menu, route)[0]?.menu_id;
  return (
    <nav className={styles.apps} aria-label="应用导航">
      <button
        type="button"
        className={styles.app}
        aria-current={pathname === HOME_ROUTE ? 'page' : undefined}
        onClick={() => void navigate(HOME_ROUTE)}
      >
        <HomeOutlined />
        主页
      </button>
      {menu.map((node) => (
        <NavigationApp
          key={node.menu_id}
          node={node}
          current={node.menu_id === here}
          route={route}
          onJump={() => void navigate(menuHref(node))}
        />
      ))}
    </nav>
  );
});

interface NavigationAppProps {
  node: MenuNode;
  current: boolean;
  route: string;
  onJump: () => void;
}

function NavigationApp({ node, current, route, onJump }: NavigationAppProps) {
  const [open, setOpen] = useState(false);
  const entry = (
    <button
      type="button"
      className={styles.app}
      aria-current={current ? 'true' : undefined}
      aria-expanded={node.sub.length > 0 ? open : undefined}
      onClick={node.sub.length === 0 ? onJump : undefined}
    >
      {menuIcon(node.icon)}
      {node.name}
    </button>
  );
  if (node.sub.length === 0) return entry;
  const below = (
    <div className={styles.flyout}>
      <MenuPanel nodes={node.sub} route={route} onJump={() => setOpen(false)} />
    </div>
  );
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      trigger={['hover', 'click']}
      placement="bottomLeft"
      content={below}
      arrow={false}
    >
      {entry}
    </Popover>
  );
}
