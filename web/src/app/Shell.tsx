/** 主框架: header, left menu, page tabs and the pages behind them. */
import { Button, Grid, Result, Spin } from 'antd';
import { useCallback, useEffect } from 'react';
import { useLocation } from 'react-router';
import type { Session } from '@/lib/session';
import { Header } from './header/Header';
import { countUse } from './home/usage';
import { menuLeaves, menuTrail, type MenuNode } from './menu/menuTree';
import { SideMenu } from './menu/SideMenu';
import { useMenu } from './menu/useMenu';
import styles from './shell.module.css';
import { TabBar } from './tabs/TabBar';
import { TabPages } from './tabs/TabPages';
import { TabsProvider } from './tabs/TabsProvider';
import { baseTabs, homeOnly } from './tabs/tabState';
import { restoreTabs } from './tabs/tabStore';
import { useAuthorityOfRoute } from './useAuthorityOfRoute';

const SIMPLE = 2;

export default function Shell({ session }: { session: Session }) {
  const menu = useMenu(session);
  if (menu.data) return <Frame key={session.token} session={session} menu={menu.data} />;
  if (menu.isPending) return <Spin fullscreen size="large" description="正在加载菜单" />;
  return (
    <Result
      status="warning"
      title="菜单加载失败"
      subTitle={menu.error.message}
      extra={
        <Button type="primary" onClick={() => void menu.refetch()}>
          重试
        </Button>
      }
    />
  );
}

const fixedNames: Record<string, string> = {
  '/selfinfo': '个人中心',
  '/sonCompanyInfo': '公司信息',
};

function Frame({ session, menu }: { session: Session; menu: MenuNode[] }) {
  const { pathname } = useLocation();
  const wide = Grid.useBreakpoint().md !== false;
  useAuthorityOfRoute(pathname);

  useEffect(() => {
    if (menuLeaves(menu).some((leaf) => leaf.route === pathname)) countUse(pathname);
  }, [menu, pathname]);

  const nameOf = useCallback((route: string) => menuTrail(menu, route).at(-1)?.name ?? fixedNames[route], [menu]);
  const initialTabs = () => {
    const allowed = (route: string) => menuLeaves(menu).some((leaf) => leaf.route === route);
    const fresh = { ...homeOnly, tabs: baseTabs(session.system, pathname, allowed) };
    return restoreTabs(session.user_id) ?? fresh;
  };

  return (
    <TabsProvider initial={initialTabs} nameOf={nameOf}>
      <div className={styles.shell}>
        <Header session={session} menu={menu} narrow={!wide} />
        <div className={styles.body}>
          {wide && session.system.operatingVersion !== SIMPLE && <SideMenu menu={menu} />}
          <main className={styles.content}>
            <TabBar />
            <TabPages />
          </main>
        </div>
      </div>
    </TabsProvider>
  );
}
