import { useQuery } from '@tanstack/react-query';
import { Button, Result } from 'antd';
import { lazy, Suspense, useEffect } from 'react';
import { ApiError } from '../lib/api';
import { isCancelled } from '../lib/errors';
import { usePageActive } from '../lib/tabs';
import { screenQuery } from './queries';
import { ScreenLoading } from './ScreenLoading';
import type { Screen } from './types';
import './engine.css';

const ListPage = lazy(() => import('./list/ListPage'));
const FormPage = lazy(() => import('./form/FormPage'));
const DetailPage = lazy(() => import('./detail/DetailPage'));

export interface ScreenPageProps {
  route: string;
  params: Record<string, string>;
}

/** Draws the screen the server describes for a route. */
export default function ScreenPage({ route, params }: ScreenPageProps) {
  const active = usePageActive();
  const { data: screen, error, refetch } = useQuery(screenQuery(route));
  useEffect(() => {
    if (active && isCancelled(error)) void refetch();
  }, [active, error, refetch]);

  if (!screen && error && !isCancelled(error)) return <ScreenFailure error={error} onRetry={() => void refetch()} />;
  if (!screen) return <ScreenLoading />;
  return (
    <Suspense fallback={<ScreenLoading />}>
      <ScreenOf screen={screen} params={params} />
    </Suspense>
  );
}

function ScreenOf({ screen, params }: { screen: Screen; params: Record<string, string> }) {
  const id = Number(params.id ?? 0);
  switch (screen.kind) {
    case 'list':
      return <ListPage key={screen.name} screen={screen} params={params} />;
    case 'see':
      return <DetailPage key={id} screen={screen} id={id} />;
    default:
      // Some bills are added and edited on one route; the id tells which.
      return (
        <FormPage
          key={`${id}:${params.copy ?? ''}:${params.from ?? ''}`}
          screen={screen}
          id={id || null}
          copyOf={Number(params.copy ?? 0) || null}
          from={Number(params.from ?? 0) || null}
        />
      );
  }
}

function ScreenFailure({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const code = error instanceof ApiError ? error.code : 0;
  if (code === 403) return <Result status="403" title="暂无查看权限" subTitle={error.message} />;
  return <Result status="warning" title="页面加载失败" subTitle={error.message} extra={<Button onClick={onRetry}>重试</Button>} />;
}
