import { queryOptions } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api } from '@/lib/api';
import { useQuery } from '@/lib/query';
import { setAccessibleRoutes } from '@/lib/routeAccess';
import type { Session } from '@/lib/session';
import { listLeaves, sortMenu, type MenuNode } from './menuTree';

export function menuQuery(session: Session) {
  return queryOptions({
    queryKey: ['menu', session.user_id, session.role_id],
    queryFn: () => api.get<MenuNode[]>('v2/Open/RoleAuth/getLeftMenuList'),
    select: (nodes) => sortMenu(nodes),
    staleTime: Infinity,
  });
}

/** The menu of the user's role; whatever leads somewhere goes by it. */
export function useMenu(session: Session) {
  const menu = useQuery(menuQuery(session));
  const { data } = menu;
  useEffect(() => setAccessibleRoutes(data ? new Set(listLeaves(data).map(({ route }) => route)) : null), [data]);
  return menu;
}
