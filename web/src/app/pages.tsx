/** Which page a route opens: home, reports and the few special ones; all others are screens the server describes. */
import { lazy, useMemo } from 'react';
import { NotFound } from './NotFound';

const HomePage = lazy(() => import('./home/HomePage'));
const PersonalCentre = lazy(() => import('./PersonalCentre'));
const ReportPage = lazy(() => import('@/reports/ReportPage'));
const ScreenPage = lazy(() => import('@/engine/ScreenPage'));

export function RoutePage({ route }: { route: string }) {
  const [path = '', search = ''] = route.split('?');
  const [first = '', second, ...deeper] = path.split('/').filter(Boolean);

  if (path === '/home') return <HomePage />;
  if (second === undefined && first === 'selfinfo') return <PersonalCentre />;
  if (first === 'report' && second !== undefined && deeper.length === 0) return <ReportPage code={second} />;
  if (second === undefined && !knownSingles.has(first)) return <NotFound route={path} />;
  return <DescribedScreen path={path} search={search} />;
}

function DescribedScreen({ path, search }: { path: string; search: string }) {
  const params = useMemo(() => Object.fromEntries(new URLSearchParams(search)), [search]);
  return <ScreenPage route={path} params={params} />;
}

/** Routes of one segment that the server describes. */
const knownSingles = new Set(['sonCompanyInfo', 'messageconfig', 'shoppingCart', 'service_station_purchase_order_refund']);
