import { queryOptions } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api } from '@/lib/api';
import { useQuery } from '@/lib/query';
import { setReached } from '@/lib/reach';
import type { Session } from '@/lib/session';
import { menuLeaves, sortedMenu, type MenuNode } from './menuTree';

export function menuQuery(session: Session) {
  return queryOptions({
    queryKey: ['menu', session.user_id, session.role_id],
    queryFn: () => api.get<MenuNode[]>('v2/Open/RoleAuth/getLeftMenuList'),
    select: (nodes) => sortedMenu(nodes),
    staleTime: Infinity,
  });
}

/** The menu of the user's role; whatever leads somewhere goes by it. */
export function useMenu(session: Session) {
  const menu = useQuery(menuQuery(session));
  const { data } = menu;
  useEffect(() => setReached(data ? new Set(menuLeaves(data).map(({ route }) => route)) : null), [data]);
  return menu;
}
