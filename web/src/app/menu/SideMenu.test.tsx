import { fireEvent, render, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { expect, it } from 'vitest';
import { SideMenu } from './SideMenu';
import type { MenuNode } from './menuTree';

const node = (menu_id: number, name: string, route: string, sub: MenuNode[] = []): MenuNode => ({
  menu_id,
  name,
  route,
  code: name,
  icon: '',
  sort: menu_id,
  action: [],
  tabRoute: '',
  sub,
});
const menu = [
  node(1, '销售管理', '', [node(2, '销售出库', '/sales/salesout')]),
  node(3, '库存管理', '', [node(4, '库存查询', '/inventory/stock')]),
];
const start = () =>
  render(
    <MemoryRouter initialEntries={['/home']}>
      <SideMenu menu={menu} />
    </MemoryRouter>,
  );

it('first-level entries show the first 2 characters of their names; what was opened at home stands open the next time', () => {
  const view = start();
  expect(screen.getByLabelText('库存管理').textContent).toBe('库存');
  expect(screen.queryByText('库存查询')).toBeNull();
  fireEvent.click(screen.getByLabelText('库存管理'));
  expect(screen.getByText('库存查询')).toBeTruthy();
  expect(localStorage.getItem('startMenu')).toBe('3');
  view.unmount();
  start();
  expect(screen.getByText('库存查询')).toBeTruthy();
});
