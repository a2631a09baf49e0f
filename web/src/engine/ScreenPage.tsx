import { type QueryClient } from '@tanstack/react-query';
import { Button, Result } from 'antd';
import { Suspense } from 'react';
import { ApiError } from '../lib/api';
import { lazyWithPreload } from '../lib/lazyWithPreload';
import { isCancelled } from '../lib/errors';
import { useQuery } from '../lib/query';
import { RefetchWhenShown } from './RefetchWhenShown';
import { buildListQuery, loadOpeningState } from './list/listState';
import { listQuery, screenQuery } from './queries';
import { ScreenLoading } from './ScreenLoading';
import type { Screen } from './types';
import './engine.css';

const ListPage = lazyWithPreload(() => import('./list/ListPage'));
const FormPage = lazyWithPreload(() => import('./form/FormPage'));
const DetailPage = lazyWithPreload(() => import('./detail/DetailPage'));

/** Most screens are lists: theirs comes along, with the rows it opens with. */
export async function prefetchList(queries: QueryClient, route: string, params: Record<string, string>): Promise<void> {
  void ListPage.preload();
  const screen = await queries.ensureQueryData(screenQuery(route));
  if (screen.kind === 'list')
    void queries.prefetchQuery(listQuery(screen, buildListQuery(loadOpeningState(screen, params))));
}

export interface ScreenPageProps {
  route: string;
  params: Record<string, string>;
}

/** Draws the screen the server describes for a route. */
export default function ScreenPage({ route, params }: ScreenPageProps) {
  const described = useQuery(screenQuery(route));
  const { data: screen, error, refetch } = described;

  if (!screen && error && !isCancelled(error)) return <ScreenFailure error={error} onRetry={() => void refetch()} />;
  if (!screen) {
    return (
      <>
        <RefetchWhenShown query={described} />
        <ScreenLoading />
      </>
    );
  }
  return (
    <Suspense fallback={<ScreenLoading />}>
      <ScreenByKind screen={screen} params={params} />
    </Suspense>
  );
}

function ScreenByKind({ screen, params }: { screen: Screen; params: Record<string, string> }) {
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
          key={`${id}:${params.copy ?? ''}:${params.from ?? ''}:${params.source ?? ''}${id ? '' : JSON.stringify(params)}`}
          screen={screen}
          id={id || null}
          copyOf={Number(params.copy ?? 0) || null}
          from={Number(params.from ?? 0) || null}
          sourceName={params.source}
          presetValues={params}
        />
      );
  }
}

function ScreenFailure({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const code = error instanceof ApiError ? error.code : 0;
  if (code === 403) return <Result status="403" title="暂无查看权限" subTitle={error.message} />;
  return (
    <Result
      status="warning"
      title="页面加载失败"
      subTitle={error.message}
      extra={<Button onClick={onRetry}>重试</Button>}
    />
  );
}
