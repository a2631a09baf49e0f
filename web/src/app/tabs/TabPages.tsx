/** The pages behind the tabs: kept-alive ones stay mounted and hidden, the others go when left. */
import { Activity } from 'react';
import { PageActiveContext, PageRouteContext } from '@/lib/tabs';
import { RoutePage } from '../pages';
import { PageBoundary } from '../PageBoundary';
import { useTabRow } from './context';
import styles from './pages.module.css';

export function TabPages() {
  const { tabs, activeKey } = useTabRow();
  return (
    <div className={styles.pages}>
      {tabs.map((tab) => {
        const active = tab.key === activeKey;
        if (!active && !tab.keepAlive) return null;
        return (
          <Activity key={tab.route} mode={active ? 'visible' : 'hidden'}>
            <section className={styles.page} role="tabpanel" aria-label={tab.name}>
              <PageRouteContext value={tab.route}>
                <PageActiveContext value={active}>
                  <PageBoundary>
                    <RoutePage route={tab.route} />
                  </PageBoundary>
                </PageActiveContext>
              </PageRouteContext>
            </section>
          </Activity>
        );
      })}
    </div>
  );
}
