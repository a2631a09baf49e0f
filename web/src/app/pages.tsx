/** Pages by route: home and a few special ones, the reports that the server names, else screens that it describes. */
import { lazy, memo, useEffect, useMemo, type ComponentType } from 'react';
import { screenQuery } from '@/engine/queries';
import { ScreenLoading } from '@/engine/ScreenLoading';
import type { Screen } from '@/engine/types';
import { lazyWithPreload } from '@/lib/lazyWithPreload';
import { ApiError } from '@/lib/errors';
import { useQuery } from '@/lib/query';
import { frameRoutesQuery } from '@/reports/frameQuery';
import { useReportVisit } from '@/reports/useReportVisit';
import { NotFound } from './NotFound';
import { queryClient } from './queries';
import styles from './pages.module.css';
import { useDescribe } from './tabs/context';

const CompanyInfo = lazy(() => import('./CompanyInfo'));
const HomePage = lazyWithPreload(() => import('./home/HomePage'));
const MessagesPage = lazy(() => import('./notices/MessagesPage'));
const PersonalCentre = lazy(() => import('./PersonalCentre'));
const ListReportPage = lazy(() => import('@/reports/ListReportPage'));
const ReportPage = lazy(() => import('@/reports/ReportPage'));
const AlertsPage = lazy(() => import('@/reports/figures/AlertsPage'));
const SubscriptionsPage = lazy(() => import('@/reports/subscriptions/SubscriptionsPage'));
const ScreenPage = lazyWithPreload(() => import('@/engine/ScreenPage'));

/** Pages that the server describes nothing of. */
const OWN_PAGES: Partial<Record<string, ComponentType>> = {
  '/home': HomePage,
  '/messageconfig': MessagesPage,
  '/myAlerts': AlertsPage,
  '/mySubscriptions': SubscriptionsPage,
  '/selfinfo': PersonalCentre,
  '/sonCompanyInfo': CompanyInfo,
  '/system/selfinfo': PersonalCentre,
  '/system/sonCompanyInfo': CompanyInfo,
};

/** Screens that are drawn by hand from what the server describes. */
const SCREEN_OVERRIDES: Partial<Record<string, ComponentType<{ screen: Screen; params: Record<string, string> }>>> = {
  '/MoneyManagement/Checkstand': lazy(() => import('@/screens/money/CheckstandPage')),
  '/MoneyManagement/MoneyHomePage': lazy(() => import('@/screens/money/MoneyHomePage')),
  '/groupManagement/InventoryBigData': lazy(() => import('@/reports/stockwall/InventoryBigDataPage')),
  '/report/board': lazy(() => import('@/reports/boards/BoardsPage')),
  '/report/explore': lazy(() => import('@/reports/ExplorePage')),
  '/report/ReportHome': lazy(() => import('@/reports/ReportHomePage')),
  '/system/auth': lazy(() => import('@/screens/access/AuthPage')),
  '/system/authAdd': lazy(() => import('@/screens/access/BundleEditor')),
  '/system/businessData': lazy(() => import('@/reports/console/BusinessDataPage')),
  '/system/businesslog': lazy(() => import('@/screens/businesslog/BusinessLogPage')),
  '/system/datadictionary': lazy(() => import('@/screens/DataDictionaryPage')),
  '/system/datastate': lazy(() => import('@/screens/DataStatePage')),
  '/system/dbclear': lazy(() => import('@/screens/CleanupPage')),
  '/system/dbupdate': lazy(() => import('@/screens/BackupPage')),
  '/system/costrecalculate': lazy(() => import('@/screens/CostRecalculationPage')),
  '/system/imitateLogin': lazy(() => import('@/screens/access/ImpersonatePage')),
  '/system/informationSee': lazy(() => import('@/screens/messages/InformationSee')),
  '/system/messageconfigAdd': lazy(() => import('@/screens/messages/AnnouncementEdit')),
  '/system/messageconfigSee': lazy(() => import('@/screens/messages/AnnouncementSee')),
  '/system/initialization': lazy(() => import('./initialisation/InitialisationPage')),
  '/system/itemno': lazy(() => import('@/screens/NumberTemplatePage')),
  '/system/monthly': lazy(() => import('@/screens/MonthClosePage')),
  '/system/smsbill': lazy(() => import('@/screens/SmsBillPage')),
  '/system/printsetting': lazy(() => import('@/screens/printing/PrintSettingPage')),
  '/system/autoPrint': lazy(() => import('@/screens/printing/PrintSettingPage')),
  '/system/customPrint': lazy(() => import('@/screens/printing/PrintDesignPage')),
  '/system/roleAdd': lazy(() => import('@/screens/access/RoleEditor')),
  '/system/user': lazy(() => import('@/screens/access/UserPage')),
};

/** Brings in the page of a path ahead of its drawing. */
export function preloadPage(path: string, search: string): void {
  if (path === '/' || path === '/home') {
    void HomePage.preload();
    return;
  }
  if (OWN_PAGES[path]) return;
  // What fails here is asked and told again by the page.
  void preloadDescribedPage(path, search).catch(() => undefined);
}

/** The server describes no screen for a framed report, and would refuse to. */
async function preloadDescribedPage(path: string, search: string): Promise<void> {
  const page = SCREEN_OVERRIDES[path] ? undefined : ScreenPage.preload();
  void page?.catch(() => undefined);
  const frames = await queryClient.ensureQueryData(frameRoutesQuery());
  if (frames.some(({ route }) => route === path)) return;
  void queryClient.prefetchQuery(screenQuery(path));
  await (await page)?.prefetchList(queryClient, path, parseParams(search));
}

export const RoutePage = memo(function RoutePage({ route }: { route: string }) {
  const [path = '', search = ''] = route.split('?');
  const params = useRouteParams(search);
  const frames = useQuery(frameRoutesQuery());

  const Own = OWN_PAGES[path];
  if (Own) return <Own />;
  if (frames.isPending) return <ScreenLoading />;
  const code = frames.data?.[path];
  if (code) return <FramedReport route={route} code={code} params={params} />;
  return <DescribedScreen route={route} path={path} params={params} />;
});

function FramedReport({ route, code, params }: { route: string; code: string; params: Record<string, string> }) {
  const describe = useDescribe();
  // Its own name follows when it may be opened.
  useEffect(() => describe(route, '报表'), [describe, route]);
  return <ReportPage code={code} values={params} />;
}

const unknownScreen = 400;
/** Tab titles of refused screens, by status code. */
const REFUSED_TITLES: Partial<Record<number, string>> = { 403: '暂无权限' };

function parseParams(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search));
}

function useRouteParams(search: string): Record<string, string> {
  return useMemo(() => parseParams(search), [search]);
}

interface ScreenProps {
  route: string;
  path: string;
  params: Record<string, string>;
}

function DescribedScreen({ route, path, params }: ScreenProps) {
  const { data: screen, error } = useQuery(screenQuery(path));
  const describe = useDescribe();
  const refused = error instanceof ApiError ? error.code : 0;
  useReportVisit(screen?.report);

  useEffect(() => {
    if (screen) describe(route, screenTitle(screen, 'id' in params), screen.keep_alive);
    else if (REFUSED_TITLES[refused]) describe(route, REFUSED_TITLES[refused]);
  }, [describe, route, params, screen, refused]);

  if (refused === unknownScreen) return <NotFound route={route} path={path} />;
  const Override = SCREEN_OVERRIDES[path];
  if (Override && screen) {
    return (
      <div className={styles.sheet}>
        <Override screen={screen} params={params} />
      </div>
    );
  }
  if (screen?.filed) return <ListReportPage key={screen.name} screen={screen} params={params} />;
  return <ScreenPage route={path} params={params} />;
}

function screenTitle({ kind, label }: Screen, existing: boolean): string {
  if (kind === 'list') return label;
  if (kind === 'see') return `${label}详情`;
  return existing ? `修改${label}` : `新增${label}`;
}
