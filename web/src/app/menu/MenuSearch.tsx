/** 菜单搜索: the search icon (Ctrl+K) opens a filterable cascader. */
import { SearchOutlined } from '@ant-design/icons';
import { Button, Popover, Spin, Tooltip } from 'antd';
import { lazy, Suspense, useEffect, useState } from 'react';
import type { MenuNode } from './menuTree';

const MenuCascader = lazy(() => import('./MenuCascader'));

interface Props {
  menu: MenuNode[];
  className?: string;
}

export function MenuSearch({ menu, className }: Props) {
  const [open, setOpen] = useState(false);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!event.ctrlKey || event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      setOpen(true);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);

  const search = (
    <Suspense fallback={<Spin />}>
      <MenuCascader menu={menu} onJump={() => setOpen(false)} />
    </Suspense>
  );

  return (
    <Popover open={open} onOpenChange={setOpen} trigger="click" placement="rightTop" content={search} destroyOnHidden>
      <Tooltip title={open ? '' : '搜索菜单（Ctrl+K）'} placement="right">
        <Button type="text" className={className} icon={<SearchOutlined />} aria-label="搜索菜单" />
      </Tooltip>
    </Popover>
  );
}
