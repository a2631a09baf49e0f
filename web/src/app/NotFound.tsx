/** A path that shows no screen: one that is planned and not there yet, or 404. */
import { Button, Result } from 'antd';
import { useEffect } from 'react';
import { Link } from 'react-router';
import type { PlannedScreen } from '@/gen';
import { ScreenLoading } from '@/engine/ScreenLoading';
import { api } from '@/lib/api';
import { useQuery } from '@/lib/query';
import { useDescribe } from './tabs/context';

export function NotFound({ route, path }: { route: string; path: string }) {
  const describe = useDescribe();
  const { data: planned, isPending } = useQuery({
    queryKey: ['planned', path],
    queryFn: () => api.get<PlannedScreen | null>('v2/Open/Screen/getPlanned', { route: path }),
    staleTime: Infinity,
    meta: { quiet: true },
  });
  useEffect(() => {
    if (!isPending) describe(route, planned?.name ?? '页面不存在');
  }, [describe, route, planned, isPending]);

  if (isPending) return <ScreenLoading />;
  const home = (
    <Link to="/home">
      <Button type="primary">返回主页</Button>
    </Link>
  );
  if (planned)
    return <Result status="info" title={planned.name} subTitle="该功能尚未开放，请先使用其他功能。" extra={home} />;
  return (
    <Result status="404" title="页面不存在" subTitle="没有这个页面，请检查地址，或从左侧菜单进入。" extra={home} />
  );
}
