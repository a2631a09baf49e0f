/** 主框架: header, left menu, page tabs and the pages behind them. */
import { Button, Grid, Result, Spin } from 'antd';
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { useLocation } from 'react-router';
import { isStation, type Session } from '@/lib/session';
import { Header } from './header/Header';
import { KeyMap } from './KeyMap';
import { preferencesQuery, usePreferencesReady } from './serverPreferences';
import { recordUse } from './home/usage';
import { AppNavigation } from './menu/AppNavigation';
import { listLeaves, menuTrail, type MenuNode } from './menu/menuTree';
import { SideMenu } from './menu/SideMenu';
import { menuQuery, useMenu } from './menu/useMenu';
import { preloadPage } from './pages';
import { queryClient } from './queries';
import styles from './shell.module.css';
import { SIMPLE } from './station/versions';
import { TabBar } from './tabs/TabBar';
import { TabPages } from './tabs/TabPages';
import { TabsProvider } from './tabs/TabsProvider';
import { buildBaseTabs, HOME_ROUTE, HOME_ONLY_STATE } from './tabs/tabState';
import { restoreTabs } from './tabs/tabStore';
import { useTour } from './tour/useTour';
import { useAuthorityOfRoute } from './useAuthorityOfRoute';
import { useCompanySettings } from './useCompanySettings';
import { useMidnightRefresh } from './useMidnightRefresh';

const CustomerService = lazy(() => import('./station/CustomerService'));
const GuidedTour = lazy(() => import('./tour/GuidedTour'));
const NoticePopup = lazy(() => import('./notices/NoticePopup'));
const ReminderDialog = lazy(() => import('./notices/ReminderDialog'));
const SurveyPrompt = lazy(() => import('./survey/SurveyPrompt'));

/** Asks for all that the page at an address will need while the shell is still being drawn. */
export function prefetchShell(session: Session, { pathname, search }: Pick<Location, 'pathname' | 'search'>): void {
  void queryClient.prefetchQuery(menuQuery(session));
  void queryClient.prefetchQuery(preferencesQuery(session));
  preloadPage(pathname, search);
}

export default function Shell({ session }: { session: Session }) {
  const menu = useMenu(session);
  const kept = usePreferencesReady(session);
  const { token, system } = session;
  // Another version has other base tabs.
  const frame = `${token}:${system.operatingVersion}`;
  if (menu.data && kept) return <ShellFrame key={frame} session={session} menu={menu.data} />;
  if (!menu.error) return <Spin fullscreen size="large" description="正在加载菜单" />;
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
  '/messageconfig': '系统公告',
  '/myAlerts': '我的预警',
  '/mySubscriptions': '我的订阅',
  '/shoppingCart': '购物车',
  '/selfinfo': '个人中心',
  '/sonCompanyInfo': '公司信息',
};

function ShellFrame({ session, menu }: { session: Session; menu: MenuNode[] }) {
  useMidnightRefresh();
  const { pathname } = useLocation();
  const wide = Grid.useBreakpoint().md !== false;
  useAuthorityOfRoute(pathname);
  useCompanySettings(session.company_id);
  const station = isStation(session.system);
  const simple = session.system.operatingVersion === SIMPLE;
  const [noticing, setNoticing] = useState(false);
  const tour = useTour(session, pathname === HOME_ROUTE);

  useEffect(() => {
    if (listLeaves(menu).some((leaf) => leaf.route === pathname)) recordUse(pathname);
  }, [menu, pathname]);

  const nameOf = useCallback((route: string) => menuTrail(menu, route).at(-1)?.name ?? fixedNames[route], [menu]);
  const initialTabs = () => {
    const allowed = (route: string) => listLeaves(menu).some((leaf) => leaf.route === route);
    const fresh = { ...HOME_ONLY_STATE, tabs: buildBaseTabs(session.system, pathname, allowed) };
    return restoreTabs(session.user_id) ?? fresh;
  };

  return (
    <TabsProvider initial={initialTabs} nameOf={nameOf}>
      <div className={styles.shell}>
        <Header session={session} menu={menu} narrow={!wide} onTour={wide ? tour.start : undefined} />
        {wide && simple && <AppNavigation menu={menu} />}
        <div className={styles.body}>
          {wide && !simple && <SideMenu menu={menu} />}
          <main className={styles.content}>
            <TabBar />
            <TabPages />
          </main>
        </div>
      </div>
      <KeyMap />
      <Suspense>
        {tour.open && wide && !noticing && <GuidedTour onEnd={tour.end} />}
        <ReminderDialog />
        {station && <NoticePopup home={pathname === HOME_ROUTE} onOpen={setNoticing} />}
        {station && simple && <CustomerService />}
        {station && <SurveyPrompt route={pathname} wait={noticing || (wide && tour.pending)} />}
      </Suspense>
    </TabsProvider>
  );
}
