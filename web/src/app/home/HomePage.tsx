/** 主页: user and company, pending items, today's business if the user may see it, and the screens of the role. */
import { Card, Empty, Skeleton } from 'antd';
import { lazy, Suspense } from 'react';
import { useSession } from '../session';
import { listLeaves, type MenuNode } from '../menu/menuTree';
import { useMenu } from '../menu/useMenu';
import { DataFreshness } from './DataFreshness';
import { EntryLink } from './EntryLink';
import { formatGreeting, formatLongDate } from './greeting';
import styles from './home.module.css';
import { StationCounts } from './StationCounts';
import { ToDoCard } from './ToDoCard';
import { sortByUse } from './usage';
import { useClockValue } from '@/lib/businessClock';
import { isStation, type Session } from '@/lib/session';
import { PublishedNotices } from '@/reports/PublishedNotices';

const ConsoleOverview = lazy(() => import('@/reports/console/ConsoleOverview'));
const quickEntries = 8;
const businessData = '/system/businessData';

export default function HomePage() {
  const session = useSession();
  return session && <HomeContent session={session} />;
}

function HomeContent({ session }: { session: Session }) {
  const { data: menu = [] } = useMenu(session);
  const leaves = listLeaves(menu);
  const hello = useClockValue(formatGreeting);
  const day = useClockValue(formatLongDate);
  return (
    <div className={styles.home}>
      <section className={styles.hello}>
        <div>
          <h1>
            {hello}，{session.realname || session.user_name}
          </h1>
          <p>{[session.company_name, session.department_name, session.role_name].filter(Boolean).join(' · ')}</p>
        </div>
        <div className={styles.today}>
          <p>{day}</p>
          <DataFreshness />
        </div>
      </section>
      <PublishedNotices />
      {isStation(session.system) ? <StationCounts companyId={session.company_id} /> : <ToDoCard />}
      {leaves.some(({ route }) => route === businessData) && (
        <Suspense fallback={<Skeleton active paragraph={{ rows: 12 }} />}>
          <ConsoleOverview />
        </Suspense>
      )}
      {leaves.length === 0 && <Empty description="您的角色还没有任何菜单，请联系管理员授权" />}
      {leaves.length > 0 && (
        <Card size="small" title="常用入口">
          <div className={styles.quick}>
            {sortByUse(leaves, quickEntries).map((leaf) => (
              <EntryLink key={leaf.menu_id} node={leaf} className={styles.tile} />
            ))}
          </div>
        </Card>
      )}
      <div className={styles.modules}>
        {menu.map((module) => (
          <Card key={module.menu_id} size="small" title={module.name} className={styles.module}>
            <MenuGroups nodes={module.sub} />
          </Card>
        ))}
      </div>
    </div>
  );
}

function MenuGroups({ nodes }: { nodes: MenuNode[] }) {
  return nodes.map((node) => (
    <div key={node.menu_id} className={styles.group}>
      {node.sub.length > 0 && <h3>{node.name}</h3>}
      <div className={styles.links}>
        {listLeaves([node]).map((leaf) => (
          <EntryLink key={leaf.menu_id} node={leaf} className={styles.link} />
        ))}
      </div>
    </div>
  ));
}
