/** 页签栏: click activates, middle click closes, right click opens the menu of closings. */
import { CloseOutlined, HomeOutlined } from '@ant-design/icons';
import { Dropdown, type MenuProps } from 'antd';
import { memo, useEffect, useRef, type KeyboardEvent, type MouseEvent } from 'react';
import { useTabRow, type TabActions } from './context';
import type { Tab } from './tabState';
import styles from './tabs.module.css';

const middleButton = 1;

export function TabBar() {
  const { tabs, activeKey, actions } = useTabRow();
  const list = useRef<HTMLDivElement>(null);

  const at = tabs.findIndex((tab) => tab.key === activeKey);
  const shown = tabs[at];
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [activeKey, tabs.length, shown?.name]);

  const step = (event: KeyboardEvent, by: number) => {
    const next = (at + by + tabs.length) % tabs.length;
    event.preventDefault();
    actions.activate(tabs[next]!);
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus();
  };

  /** Only the active tab is reached by the keyboard. */
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'ArrowRight') step(event, 1);
    else if (event.key === 'ArrowLeft') step(event, -1);
    else if (event.key === 'Delete' && shown && !shown.base) actions.close(shown);
  };

  return (
    <div className={styles.bar} role="tablist" aria-label="已打开的页面" ref={list} onKeyDown={onKey}>
      {tabs.map((tab) => (
        <TabHandle key={tab.key} tab={tab} active={tab.key === activeKey} actions={actions} />
      ))}
    </div>
  );
}

interface HandleProps {
  tab: Tab;
  active: boolean;
  actions: TabActions;
}

const TabHandle = memo(function TabHandle({ tab, active, actions }: HandleProps) {
  const closeThis = (event: MouseEvent) => {
    event.stopPropagation();
    actions.close(tab);
  };
  const menu: MenuProps = {
    items: [
      { key: 'this', label: '关闭当前', disabled: tab.base, onClick: () => actions.close(tab) },
      { key: 'others', label: '关闭其他', onClick: () => actions.closeOthers(tab) },
      { key: 'all', label: '关闭全部', onClick: actions.closeAll },
    ],
  };
  return (
    <Dropdown menu={menu} trigger={['contextMenu']}>
      <div
        role="tab"
        className={active ? `${styles.tab} ${styles.active}` : styles.tab}
        aria-selected={active}
        tabIndex={active ? 0 : -1}
        title={tab.name}
        onClick={() => actions.activate(tab)}
        onMouseDown={(event) => event.button === middleButton && event.preventDefault()}
        onAuxClick={(event) => event.button === middleButton && !tab.base && closeThis(event)}
      >
        {tab.key === 'home' && <HomeOutlined />}
        <span className={styles.name}>{tab.name}</span>
        {!tab.base && <CloseOutlined className={styles.close} aria-label={`关闭${tab.name}`} onClick={closeThis} />}
      </div>
    </Dropdown>
  );
});
