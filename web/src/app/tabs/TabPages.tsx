/** The pages behind the tabs: kept-alive ones stay as they were drawn, unseen; the others go when left. */
import { ConfigProvider } from 'antd';
import { useCallback, useRef } from 'react';
import { createPortal } from 'react-dom';
import { PageActiveContext, PageRouteContext } from '@/lib/tabs';
import { RoutePage } from '../pages';
import { PageBoundary } from '../PageBoundary';
import { useTabRow } from './context';
import styles from './pages.module.css';
import type { Tab } from './tabState';
import { useTabFocus } from './useTabFocus';

export function TabPages() {
  const { tabs, activeKey } = useTabRow();
  return (
    <div className={styles.pages}>
      {tabs.map((tab) => {
        const active = tab.key === activeKey;
        return (active || tab.keepAlive) && <TabPage key={tab.route} tab={tab} active={active} />;
      })}
    </div>
  );
}

/** Pages that scroll without a scroll bar of their own (spec/2-routes.md 9): the purchase mall and the shopping cart. */
const BARE_ROUTES = new Set(['/purchase/jybdorder', '/purchase/shoppingCart', '/shoppingCart']);

function hidesScrollBars(route: string): boolean {
  return BARE_ROUTES.has(route.split('?')[0]!);
}

/** A page and, at the end of the body, what pops up from it: both go out of sight with their tab. */
function TabPage({ tab, active }: { tab: Tab; active: boolean }) {
  const popups = useRef<HTMLDivElement>(null);
  const { page, onFocus } = useTabFocus(active);
  const container = useCallback(() => popups.current ?? document.body, []);
  return (
    <PageRouteContext value={tab.route}>
      <PageActiveContext value={active}>
        <ConfigProvider getPopupContainer={container}>
          <section
            className={`${active ? styles.page : styles.kept} ${hidesScrollBars(tab.route) ? styles.bare : ''}`}
            role="tabpanel"
            aria-label={tab.name}
            aria-hidden={!active}
            inert={!active}
            ref={page}
            tabIndex={-1}
            onFocus={onFocus}
          >
            <PageBoundary>
              <RoutePage route={tab.route} />
            </PageBoundary>
          </section>
        </ConfigProvider>
        {createPortal(<div ref={popups} hidden={!active} />, document.body)}
      </PageActiveContext>
    </PageRouteContext>
  );
}
