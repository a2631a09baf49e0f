/** Keeps the row of tabs in step with the address: every route visited is a tab, every closed tab moves the address. */
import { useCallback, useEffect, useLayoutEffect, useMemo, useReducer, useRef, type ReactNode } from 'react';
import { useLocation, useNavigate, type NavigateOptions } from 'react-router';
import { cancelPendingReads } from '@/lib/api';
import { PRODUCT_NAME } from '@/lib/session';
import { TabsContext, type TabsApi } from '@/lib/tabs';
import { DescribeContext, TabStateContext, type DescribeTab, type TabActions, type TabRow } from './context';
import { tabKey, tabReducer, type TabState, type TabVisit } from './tabState';
import { storeTabs } from './tabStore';

const CLOSE_DELAY = 100;

interface Props {
  initial: () => TabState;
  /** The Chinese name of a route, when the menu knows it. */
  nameOf: (route: string) => string | undefined;
  children: ReactNode;
}

export function TabsProvider({ initial, nameOf, children }: Props) {
  const { pathname, search } = useLocation();
  const route = pathname + search;
  const go = useNavigate();
  const [state, dispatch] = useReducer(tabReducer, undefined, initial);
  const announced = useRef(new Map<string, Omit<TabVisit, 'route'>>());
  const latest = useRef(state);

  // The router's own changes with every address, and whoever uses it would be drawn again.
  const latestGo = useRef(go);
  useLayoutEffect(() => {
    latestGo.current = go;
  }, [go]);
  const navigate = useCallback(
    (target: string, options?: NavigateOptions) => void latestGo.current(target, options),
    [],
  );

  useLayoutEffect(() => {
    latest.current = state;
    storeTabs(state);
  }, [state]);

  // Before the new page mounts, so that only the page left behind loses its requests.
  const shown = useRef(route);
  useLayoutEffect(() => {
    if (shown.current === route) return;
    shown.current = route;
    cancelPendingReads('路由跳转取消请求');
  }, [route]);

  useLayoutEffect(() => {
    const described = announced.current.get(route);
    dispatch({
      type: 'visit',
      visit: { route, name: described?.name ?? nameOf(route), keepAlive: described?.keepAlive },
    });
  }, [route, nameOf]);

  const shrink = useCallback(
    (action: Parameters<typeof tabReducer>[1]) => {
      window.setTimeout(() => {
        const before = latest.current;
        const after = tabReducer(before, action);
        dispatch(action);
        if (after.activeKey === before.activeKey) return;
        const next = after.tabs.find((tab) => tab.key === after.activeKey);
        if (next) navigate(next.route);
      }, CLOSE_DELAY);
    },
    [navigate],
  );

  const api = useMemo<TabsApi>(
    () => ({
      open: (target, name, options) => {
        announced.current.set(target, { name, keepAlive: options?.keepAlive });
        navigate(target);
      },
      close: (target) => shrink({ type: 'close', key: tabKey(target) }),
      replace: (target) => navigate(target, { replace: true }),
      setTitle: (target, name, options) =>
        dispatch({ type: 'rename', route: target, name, keepAlive: options?.keepAlive }),
    }),
    [navigate, shrink],
  );

  const describe = useCallback<DescribeTab>(
    (target, name, keepAlive) => dispatch({ type: 'describe', route: target, name, keepAlive }),
    [],
  );

  const actions = useMemo<TabActions>(
    () => ({
      activate: (tab) => navigate(tab.route),
      close: (tab) => shrink({ type: 'close', key: tab.key }),
      closeOthers: (tab) => shrink({ type: 'closeOthers', key: tab.key }),
      closeAll: () => shrink({ type: 'closeAll' }),
    }),
    [navigate, shrink],
  );
  const row = useMemo<TabRow>(() => ({ ...state, actions }), [state, actions]);

  useEffect(() => {
    const active = state.tabs.find((tab) => tab.key === state.activeKey);
    if (active) document.title = `${active.name} - ${PRODUCT_NAME}`;
  }, [state]);

  return (
    <TabsContext value={api}>
      <DescribeContext value={describe}>
        <TabStateContext value={row}>{children}</TabStateContext>
      </DescribeContext>
    </TabsContext>
  );
}
