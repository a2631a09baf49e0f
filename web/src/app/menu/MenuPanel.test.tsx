import { render, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { describe, expect, it } from 'vitest';
import { MenuPanel } from './MenuPanel';
import type { MenuNode } from './menuTree';

const leaf = (menu_id: number, name: string, route: string): MenuNode => ({
  menu_id,
  name,
  route,
  code: route,
  icon: '',
  sort: menu_id,
  action: [],
  tabRoute: '',
  sub: [],
});
const groups = [
  { ...leaf(1, '仓库设置', ''), sub: [leaf(2, '仓库', '/system/storagelocation')] },
  { ...leaf(3, '地区设置', ''), sub: [leaf(4, '城市', '/system/city')] },
];
const panel = (route: string) => (
  <MemoryRouter>
    <MenuPanel nodes={groups} route={route} />
  </MemoryRouter>
);

describe('the menu of a module', () => {
  it('opens the group of the page on screen, also when a tab leads there', () => {
    const view = render(panel('/system/storagelocation'));
    expect([screen.queryByText('仓库') !== null, screen.queryByText('城市')]).toEqual([true, null]);
    view.rerender(panel('/system/city'));
    expect([screen.queryByText('仓库') !== null, screen.queryByText('城市') !== null]).toEqual([true, true]);
    view.unmount();
  });
});
