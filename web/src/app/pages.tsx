/** Which page a route opens: home and the few special ones, the reports the server names, else screens it describes. */
import { useQuery } from '@tanstack/react-query';
import { lazy, useEffect, useMemo, type ComponentType } from 'react';
import { screenQuery } from '@/engine/queries';
import { ScreenLoading } from '@/engine/ScreenLoading';
import type { Screen } from '@/engine/types';
import { ApiError } from '@/lib/errors';
import { frameRoutesQuery } from '@/reports/frameQuery';
import { NotFound } from './NotFound';
import { useTabRow } from './tabs/context';

const CompanyInfo = lazy(() => import('./CompanyInfo'));
const HomePage = lazy(() => import('./home/HomePage'));
const PersonalCentre = lazy(() => import('./PersonalCentre'));
const ReportPage = lazy(() => import('@/reports/ReportPage'));
const ScreenPage = lazy(() => import('@/engine/ScreenPage'));

/** Screens that are drawn by hand from what the server describes. */
const overrides: Partial<Record<string, ComponentType<{ screen: Screen }>>> = {
  '/system/costrecalculate': lazy(() => import('@/screens/CostRecalculationPage')),
  '/system/monthly': lazy(() => import('@/screens/MonthClosePage')),
};

export function RoutePage({ route }: { route: string }) {
  const [path = '', search = ''] = route.split('?');
  const params = useParams(search);
  const frames = useQuery(frameRoutesQuery());

  if (path === '/home') return <HomePage />;
  if (path === '/selfinfo' || path === '/system/selfinfo') return <PersonalCentre />;
  if (path === '/sonCompanyInfo' || path === '/system/sonCompanyInfo') return <CompanyInfo />;
  if (frames.isPending) return <ScreenLoading />;
  const code = frames.data?.[path];
  if (code) return <FramedReport route={route} code={code} params={params} />;
  return <DescribedScreen route={route} path={path} params={params} />;
}

function FramedReport({ route, code, params }: { route: string; code: string; params: Record<string, string> }) {
  const { describe } = useTabRow();
  // Its own name follows when it may be opened.
  useEffect(() => describe(route, '报表'), [describe, route]);
  return <ReportPage code={code} values={params} />;
}

const unknownScreen = 400;

function useParams(search: string): Record<string, string> {
  return useMemo(() => Object.fromEntries(new URLSearchParams(search)), [search]);
}

interface ScreenProps {
  route: string;
  path: string;
  params: Record<string, string>;
}

function DescribedScreen({ route, path, params }: ScreenProps) {
  const { data: screen, error } = useQuery(screenQuery(path));
  const { describe } = useTabRow();
  const unknown = error instanceof ApiError && error.code === unknownScreen;

  useEffect(() => {
    if (screen) describe(route, screenTitle(screen, 'id' in params), screen.keep_alive);
    else if (unknown) describe(route, '页面不存在');
  }, [describe, route, params, screen, unknown]);

  if (unknown) return <NotFound route={path} />;
  const Override = overrides[path];
  if (Override && screen) return <Override screen={screen} />;
  return <ScreenPage route={path} params={params} />;
}

function screenTitle({ kind, label }: Screen, existing: boolean): string {
  if (kind === 'list') return label;
  if (kind === 'see') return `${label}详情`;
  return existing ? `修改${label}` : `新增${label}`;
}
