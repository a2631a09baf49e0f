/** 左侧菜单: a rail of first-level entries (their first 2 characters) and, unfolded, a panel with the levels below. */
import { HomeOutlined, MenuFoldOutlined, MenuUnfoldOutlined } from '@ant-design/icons';
import { Button, Popover, Tooltip } from 'antd';
import { memo, useDeferredValue, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { menuIcon } from './icons';
import { MenuPanel } from './MenuPanel';
import { MenuSearch } from './MenuSearch';
import { menuHref, findMenuPlace, shortenName, type MenuNode } from './menuTree';
import styles from './menu.module.css';
import { HOME_ROUTE } from '../tabs/tabState';

const FOLDED_KEY = 'isFolding';
/**
 * localStorage key of the submenu opened on the home page, which belongs to no module; it is open there again next
 * time.
 */
const START_MENU_KEY = 'startMenu';

export const SideMenu = memo(function SideMenu({ menu }: { menu: MenuNode[] }) {
  const { pathname, search } = useLocation();
  // The page comes first: another module's menu is drawn once it is there.
  const route = useDeferredValue(pathname + search);
  const navigate = useNavigate();
  const [folded, setFolded] = useState(() => localStorage.getItem(FOLDED_KEY) === 'true');
  const trail = findMenuPlace(menu, route);
  const here = trail[0]?.menu_id;
  // The panel shows what was clicked until the route moves to another module.
  const [picked, setPicked] = useState({ id: here, at: here });
  const start = Number(localStorage.getItem(START_MENU_KEY)) || undefined;
  const shown = (picked.at === here ? picked.id : undefined) ?? here ?? start;
  const module = menu.find((node) => node.menu_id === shown);

  const pick = (id: number) => {
    if (here === undefined) localStorage.setItem(START_MENU_KEY, String(id));
    setPicked({ id, at: here });
  };
  const fold = () => {
    localStorage.setItem(FOLDED_KEY, String(!folded));
    setFolded(!folded);
  };

  return (
    <nav className={styles.side} aria-label="主菜单">
      <div className={styles.rail}>
        <MenuSearch menu={menu} className={styles.tool} />
        <div className={styles.entries}>
          <button
            type="button"
            className={route === HOME_ROUTE ? `${styles.entry} ${styles.current}` : styles.entry}
            aria-current={route === HOME_ROUTE ? 'page' : undefined}
            onClick={() => void navigate(HOME_ROUTE)}
          >
            <HomeOutlined />
            <span>主页</span>
          </button>
          {menu.map((node) => (
            <RailEntry
              key={node.menu_id}
              node={node}
              current={node.menu_id === here}
              shown={!folded && node.menu_id === shown}
              folded={folded}
              route={route}
              onPick={() => (node.sub.length > 0 ? pick(node.menu_id) : void navigate(menuHref(node)))}
            />
          ))}
        </div>
        <Tooltip title={folded ? '展开菜单' : '折叠菜单'} placement="right">
          <Button
            type="text"
            className={styles.tool}
            icon={folded ? <MenuUnfoldOutlined /> : <MenuFoldOutlined />}
            aria-label={folded ? '展开菜单' : '折叠菜单'}
            aria-expanded={!folded}
            onClick={fold}
          />
        </Tooltip>
      </div>
      {!folded && module && module.sub.length > 0 && (
        <div className={styles.panel}>
          <h2 className={styles.module}>{module.name}</h2>
          <MenuPanel key={module.menu_id} nodes={module.sub} route={route} />
        </div>
      )}
    </nav>
  );
});

interface EntryProps {
  node: MenuNode;
  current: boolean;
  shown: boolean;
  folded: boolean;
  route: string;
  onPick: () => void;
}

function RailEntry({ node, current, shown, folded, route, onPick }: EntryProps) {
  const [open, setOpen] = useState(false);
  const entry = (
    <button
      type="button"
      className={[styles.entry, current && styles.current, shown && styles.shown].filter(Boolean).join(' ')}
      title={folded ? undefined : node.name}
      aria-label={node.name}
      aria-expanded={folded ? open : shown}
      onClick={onPick}
    >
      {menuIcon(node.icon)}
      <span>{shortenName(node.name)}</span>
    </button>
  );
  if (!folded || node.sub.length === 0) return entry;
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
      placement="rightTop"
      title={node.name}
      content={below}
      arrow={false}
    >
      {entry}
    </Popover>
  );
}
