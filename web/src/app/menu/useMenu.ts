import { queryOptions } from '@tanstack/react-query';
import { api } from '@/lib/api';
import { useQuery } from '@/lib/query';
import type { Session } from '@/lib/session';
import { sortedMenu, type MenuNode } from './menuTree';

export function menuQuery(session: Session) {
  return queryOptions({
    queryKey: ['menu', session.user_id, session.role_id],
    queryFn: () => api.get<MenuNode[]>('v2/Open/RoleAuth/getLeftMenuList'),
    select: (nodes) => sortedMenu(nodes),
    staleTime: Infinity,
  });
}

/** The menu of the user's role. */
export function useMenu(session: Session) {
  return useQuery(menuQuery(session));
}
