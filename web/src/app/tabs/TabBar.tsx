/** 页签栏: click activates, middle click closes, right click opens the menu of closings. */
import { CloseOutlined, HomeOutlined } from '@ant-design/icons';
import { Dropdown, type MenuProps } from 'antd';
import { useEffect, useRef, type KeyboardEvent, type MouseEvent } from 'react';
import { useTabRow } from './context';
import type { Tab } from './tabState';
import styles from './tabs.module.css';

const middleButton = 1;

export function TabBar() {
  const row = useTabRow();
  const list = useRef<HTMLDivElement>(null);

  const name = row.tabs.find((tab) => tab.key === row.activeKey)?.name;
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [row.activeKey, row.tabs.length, name]);

  const step = (event: KeyboardEvent, tab: Tab, by: number) => {
    const at = row.tabs.indexOf(tab) + by;
    const next = row.tabs[(at + row.tabs.length) % row.tabs.length];
    if (next === undefined) return;
    event.preventDefault();
    row.activate(next);
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[row.tabs.indexOf(next)]?.focus();
  };

  const onKey = (event: KeyboardEvent, tab: Tab) => {
    if (event.key === 'ArrowRight') step(event, tab, 1);
    else if (event.key === 'ArrowLeft') step(event, tab, -1);
    else if (event.key === 'Delete' && !tab.base) row.close(tab);
    else if (event.key === 'Enter' || event.key === ' ') row.activate(tab);
  };

  return (
    <div className={styles.bar} role="tablist" aria-label="已打开的页面" ref={list}>
      {row.tabs.map((tab) => (
        <TabHandle key={tab.key} tab={tab} onKey={onKey} />
      ))}
    </div>
  );
}

function TabHandle({ tab, onKey }: { tab: Tab; onKey: (event: KeyboardEvent, tab: Tab) => void }) {
  const row = useTabRow();
  const active = tab.key === row.activeKey;
  const closeThis = (event: MouseEvent) => {
    event.stopPropagation();
    row.close(tab);
  };
  const menu: MenuProps = {
    items: [
      { key: 'this', label: '关闭当前', disabled: tab.base, onClick: () => row.close(tab) },
      { key: 'others', label: '关闭其他', onClick: () => row.closeOthers(tab) },
      { key: 'all', label: '关闭全部', onClick: row.closeAll },
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
        onClick={() => row.activate(tab)}
        onKeyDown={(event) => onKey(event, tab)}
        onMouseDown={(event) => event.button === middleButton && event.preventDefault()}
        onAuxClick={(event) => event.button === middleButton && !tab.base && closeThis(event)}
      >
        {tab.key === 'home' && <HomeOutlined />}
        <span className={styles.name}>{tab.name}</span>
        {!tab.base && <CloseOutlined className={styles.close} aria-label={`关闭${tab.name}`} onClick={closeThis} />}
      </div>
    </Dropdown>
  );
}
