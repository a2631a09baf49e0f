/** 顶栏: title and company, tools of the user's kind of system, announcements, user menu. */
import { MenuOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { lazy, memo, Suspense, useState } from 'react';
import { isStation, PRODUCT_NAME, type Session } from '@/lib/session';
import { ExportTasks } from '../exports/ExportTasks';
import { InitialisationEntry } from '../initialisation/InitialisationEntry';
import { MenuSearch } from '../menu/MenuSearch';
import type { MenuNode } from '../menu/menuTree';
import { Announcements } from '../notices/Announcements';
import { SIMPLE } from '../station/versions';
import { Questionnaires } from '../survey/Questionnaires';
import styles from './header.module.css';
import { ImpersonationTag } from './ImpersonationTag';
import { PendingItems } from './PendingItems';
import { ThemeToggle } from './ThemeToggle';
import { UserMenu } from './UserMenu';

const MenuDrawer = lazy(() => import('../menu/MenuDrawer'));
const StationTools = lazy(() => import('../station/StationTools'));

interface Props {
  session: Session;
  menu: MenuNode[];
  narrow: boolean;
  /** Shows the guided tour, to whoever it is for. */
  onTour?: () => void;
}

export const Header = memo(function Header({ session, menu, narrow, onTour }: Props) {
  const [drawer, setDrawer] = useState(false);
  const title = session.titName ?? PRODUCT_NAME;
  const station = isStation(session.system);

  return (
    <header className={styles.header}>
      {narrow && (
        <Button
          type="text"
          size="middle"
          icon={<MenuOutlined />}
          aria-label="打开菜单"
          onClick={() => setDrawer(true)}
        />
      )}
      {!narrow && <img src="/favicon.svg" alt="" width={24} height={24} />}
      {!narrow && <strong className={styles.title}>{title}</strong>}
      <div className={styles.place}>
        <span className={styles.company} title={[session.company_name, session.area_name].filter(Boolean).join(' ')}>
          {session.company_name}
        </span>
        {session.scope && (
          <span className={styles.scope} title="角色的数据范围：列表、首页和报表包含的数据">
            可见 {session.scope}
          </span>
        )}
      </div>
      {session.imitator && <ImpersonationTag imitator={session.imitator} />}
      <span className={styles.space} />
      {!narrow && session.system.operatingVersion === SIMPLE && <MenuSearch menu={menu} />}
      {station ? (
        <Suspense>
          <StationTools session={session} narrow={narrow} />
        </Suspense>
      ) : (
        <BackOfficeTools narrow={narrow} />
      )}
      <Announcements />
      {!narrow && <ThemeToggle />}
      <UserMenu session={session} exports={narrow || station} themes={narrow} onTour={onTour} />
      {drawer && (
        <Suspense>
          <MenuDrawer menu={menu} onClose={() => setDrawer(false)} />
        </Suspense>
      )}
    </header>
  );
});

function BackOfficeTools({ narrow }: { narrow: boolean }) {
  return (
    <>
      <InitialisationEntry />
      {!narrow && <ExportTasks />}
      <PendingItems />
      {!narrow && <Questionnaires />}
    </>
  );
}
