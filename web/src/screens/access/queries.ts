/** Reads that the access screens share. */
import { queryOptions } from '@tanstack/react-query';
import type { RightNode } from '@/gen';
import { api } from '@/lib/api';

export function rightTreeQuery() {
  return queryOptions({
    queryKey: ['right_bundle', 'tree'],
    queryFn: ({ signal }) => api.get<RightNode[]>('v2/system/RoleAuth/getRightTree', {}, { signal }),
  });
}
