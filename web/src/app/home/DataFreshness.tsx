/** When the figures of the reports were published, and why there are none newer. */
import { useQuery } from '@/lib/query';
import { refreshedAtQuery } from '@/reports/frameQuery';

const askEvery = 60_000;

export function DataFreshness() {
  const { data } = useQuery({ ...refreshedAtQuery(), refetchInterval: askEvery });
  if (data === undefined) return null;
  if (data.warning) return <p role="status">{data.warning}</p>;
  return <p role="status">{data.refreshed_at ? `报表数据更新于 ${data.refreshed_at}` : '报表数据尚未发布'}</p>;
}
