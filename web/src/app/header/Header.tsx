/** 顶栏: title, company name, announcements, theme toggle and the user's menu. */
import { BellOutlined, BgColorsOutlined, MenuOutlined } from '@ant-design/icons';
import { Button, Tooltip } from 'antd';
import { lazy, Suspense, useState } from 'react';
import type { Session } from '@/lib/session';
import { useTabs } from '@/lib/tabs';
import { ExportTasks } from '../exports/ExportTasks';
import { MenuSearch } from '../menu/MenuSearch';
import { menuHref, menuLeaves, type MenuNode } from '../menu/menuTree';
import { applyTheme, storedTheme } from '../theme';
import styles from './header.module.css';
import { PendingItems } from './PendingItems';
import { UserMenu } from './UserMenu';

const MenuDrawer = lazy(() => import('../menu/MenuDrawer'));
const SIMPLE = 2;

interface Props {
  session: Session;
  menu: MenuNode[];
  narrow: boolean;
}

export function Header({ session, menu, narrow }: Props) {
  const tabs = useTabs();
  const [theme, setTheme] = useState(storedTheme);
  const [drawer, setDrawer] = useState(false);
  const backOffice = session.system.type === 0;
  const announcements = menuLeaves(menu).find((leaf) => leaf.code === 'messageconfig');
  const title = localStorage.getItem('titName') ?? '汽配轮胎供应链平台';

  const toggleTheme = () => {
    const next = theme === 'grey' ? 'normal' : 'grey';
    applyTheme(next);
    setTheme(next);
  };

  return (
    <header className={styles.header}>
      {narrow && (
        <Button type="text" size="middle" icon={<MenuOutlined />} aria-label="打开菜单" onClick={() => setDrawer(true)} />
      )}
      <img src="/favicon.svg" alt="" width={24} height={24} />
      {!narrow && <strong className={styles.title}>{title}</strong>}
      <span className={styles.company} title={session.company_name}>
        {session.company_name}
      </span>
      <span className={styles.space} />
      {!narrow && session.system.operatingVersion === SIMPLE && <MenuSearch menu={menu} />}
      {backOffice && !narrow && <ExportTasks />}
      {backOffice && <PendingItems />}
      {announcements && (
        <Tooltip title={announcements.name}>
          <Button
            type="text"
            size="middle"
            icon={<BellOutlined />}
            aria-label={announcements.name}
            onClick={() => tabs.open(menuHref(announcements), announcements.name)}
          />
        </Tooltip>
      )}
      {backOffice && (
        <Tooltip title={theme === 'grey' ? '切换为标准主题' : '切换为灰色主题'}>
          <Button
            type="text"
            size="middle"
            icon={<BgColorsOutlined />}
            aria-label="灰色主题"
            aria-pressed={theme === 'grey'}
            onClick={toggleTheme}
          />
        </Tooltip>
      )}
      <UserMenu session={session} />
      {drawer && (
        <Suspense>
          <MenuDrawer menu={menu} onClose={() => setDrawer(false)} />
        </Suspense>
      )}
    </header>
  );
}
