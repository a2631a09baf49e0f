/** Which page a route opens: home, reports and the few special ones; all others are screens the server describes. */
import { useQuery } from '@tanstack/react-query';
import { lazy, useEffect, useMemo } from 'react';
import { screenQuery } from '@/engine/queries';
import type { Screen } from '@/engine/types';
import { ApiError } from '@/lib/errors';
import { NotFound } from './NotFound';
import { useTabRow } from './tabs/context';

const HomePage = lazy(() => import('./home/HomePage'));
const PersonalCentre = lazy(() => import('./PersonalCentre'));
const ReportPage = lazy(() => import('@/reports/ReportPage'));
const ScreenPage = lazy(() => import('@/engine/ScreenPage'));

export function RoutePage({ route }: { route: string }) {
  const [path = '', search = ''] = route.split('?');
  const [first = '', second, ...deeper] = path.split('/').filter(Boolean);

  if (path === '/home') return <HomePage />;
  if (path === '/selfinfo' || path === '/system/selfinfo') return <PersonalCentre />;
  if (first === 'report' && second !== undefined && deeper.length === 0) return <ReportPage code={second} />;
  return <DescribedScreen path={path} search={search} />;
}

const unknownScreen = 400;

function DescribedScreen({ path, search }: { path: string; search: string }) {
  const params = useMemo(() => Object.fromEntries(new URLSearchParams(search)), [search]);
  const { data: screen, error } = useQuery(screenQuery(path));
  const { describe } = useTabRow();
  const unknown = error instanceof ApiError && error.code === unknownScreen;

  useEffect(() => {
    const route = search ? `${path}?${search}` : path;
    if (screen) describe(route, screenTitle(screen, 'id' in params), screen.keep_alive);
    else if (unknown) describe(route, '页面不存在');
  }, [describe, path, search, params, screen, unknown]);

  if (unknown) return <NotFound route={path} />;
  return <ScreenPage route={path} params={params} />;
}

function screenTitle({ kind, label }: Screen, existing: boolean): string {
  if (kind === 'list') return label;
  if (kind === 'see') return `${label}详情`;
  return existing ? `修改${label}` : `新增${label}`;
}
