/** Routes that the user's role may open, by his menu: figures link only to those. */
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { createStore, useStore } from './store';
import { useTabs } from './tabs';

const accessibleRoutes = createStore<ReadonlySet<string> | null>(null);

/** The routes of the menu; null before it is known. */
export function setAccessibleRoutes(routes: ReadonlySet<string> | null): void {
  accessibleRoutes.set(() => routes);
}

/** Return a predicate of the routes that may be opened; true for all until the menu is known. */
export function useCanOpenRoute(): (route: string) => boolean {
  const routes = useStore(accessibleRoutes, (known) => known);
  return (route) => routes === null || routes.has(route.split('?')[0]!);
}

/** A link if the role may open the route, else plain content. */
export function RouteLink({ to, className, children }: { to: string; className?: string; children: ReactNode }) {
  const reaches = useCanOpenRoute();
  if (!reaches(to)) return <div className={className}>{children}</div>;
  return (
    <Link to={to} className={className}>
      {children}
    </Link>
  );
}

/** Return a function that opens a route if the role may. */
export function useOpenAccessibleRoute(): (route: string, name: string) => void {
  const tabs = useTabs();
  const reaches = useCanOpenRoute();
  return (route, name) => {
    if (reaches(route)) tabs.open(route, name);
  };
}
