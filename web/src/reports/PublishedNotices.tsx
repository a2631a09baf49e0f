/** The notices about the newest published figures, on pages that show several of them. */
import { DataNotices } from '@/engine/DataNotices';
import { useQuery } from '@/lib/query';
import { publishedQuery } from './frameQuery';

export function PublishedNotices() {
  const { data } = useQuery(publishedQuery());
  return <DataNotices texts={data?.notices} />;
}
