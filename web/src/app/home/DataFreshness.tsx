/** When the figures of the reports were published, asked of the first report in the user's menu. */
import { useQuery } from '@tanstack/react-query';
import { frameQuery } from '@/reports/frameQuery';
import type { MenuNode } from '../menu/menuTree';

const askEvery = 60_000;

export function DataFreshness({ leaves }: { leaves: MenuNode[] }) {
  const report = leaves.find((leaf) => leaf.route.startsWith('/report/'));
  const { data } = useQuery({
    ...frameQuery(report?.code ?? ''),
    enabled: report !== undefined,
    refetchInterval: askEvery,
  });
  if (data === undefined) return null;
  return <p role="status">{data.refreshed_at ? `报表数据更新于 ${data.refreshed_at}` : '报表数据尚未发布'}</p>;
}
