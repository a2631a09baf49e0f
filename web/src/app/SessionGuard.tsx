/** Lets only logged-in users through; ends the session when the server says so. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, type ReactNode } from 'react';
import { Navigate, useLocation } from 'react-router';
import { onUnauthorized } from '@/lib/api';
import { restoreOwnSession } from '@/lib/impersonation';
import { showMessage } from '@/lib/errors';
import type { Session } from '@/lib/session';
import { FirstPassword } from './FirstPassword';
import { clearReturnRoute, storeReturnRoute, signOut, useSession } from './session';

const EXPIRED_MESSAGE = '登录已失效，请重新登录';

export function SessionGuard({ children }: { children: (session: Session) => ReactNode }) {
  const session = useSession();
  const client = useQueryClient();
  const location = useLocation();
  const here = useRef('');

  useEffect(() => {
    here.current = location.pathname + location.search;
  }, [location]);

  useEffect(() => {
    if (session !== null) clearReturnRoute();
  }, [session]);

  useEffect(
    () =>
      onUnauthorized((error) => {
        if (session === null) return;
        if (error.code !== 503 && restoreOwnSession()) {
          window.location.assign('/home');
          return;
        }
        storeReturnRoute(session.user_id, here.current);
        showMessage(error.code === 503 ? 'error' : 'warning', error.msg || EXPIRED_MESSAGE, 5);
        signOut();
      }),
    [session],
  );

  // What one user was answered must not be shown to the next.
  useEffect(() => () => client.clear(), [client, session?.token]);

  if (session === null) return <Navigate to="/login" replace />;
  return session.must_change_password ? <FirstPassword session={session} /> : children(session);
}
