/** What the user's role may open, as his menu tells it: a figure that leads elsewhere is no link. */
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { createStore, useStore } from './store';
import { useTabs } from './tabs';

const reached = createStore<ReadonlySet<string> | null>(null);

/** The routes of the menu; null before it is known. */
export function setReached(routes: ReadonlySet<string> | null): void {
  reached.set(() => routes);
}

/** Whether a route may be opened; until the menu is known, as if it may. */
export function useReaches(): (route: string) => boolean {
  const routes = useStore(reached, (known) => known);
  return (route) => routes === null || routes.has(route.split('?')[0]!);
}

/** A link to where the role may go, and else just what it says. */
export function Lead({ to, className, children }: { to: string; className?: string; children: ReactNode }) {
  const reaches = useReaches();
  if (!reaches(to)) return <div className={className}>{children}</div>;
  return (
    <Link to={to} className={className}>
      {children}
    </Link>
  );
}

/** Opens where the role may go. */
export function useOpenReached(): (route: string, name: string) => void {
  const tabs = useTabs();
  const reaches = useReaches();
  return (route, name) => {
    if (reaches(route)) tabs.open(route, name);
  };
}
