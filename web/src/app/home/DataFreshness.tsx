/** Publication time of the reports' figures. */
import { useQuery } from '@/lib/query';
import { publishedQuery } from '@/reports/frameQuery';

export function DataFreshness() {
  const { data } = useQuery(publishedQuery());
  if (data === undefined) return null;
  return <p role="status">{data.refreshed_at ? `报表数据更新于 ${data.refreshed_at}` : '报表数据尚未发布'}</p>;
}
