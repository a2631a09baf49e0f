/** Pictures of the first-level entries, by the icon name the server answers. */
import {
  AccountBookOutlined,
  AppstoreOutlined,
  BarChartOutlined,
  ClusterOutlined,
  InboxOutlined,
  SettingOutlined,
  ShopOutlined,
  ShoppingCartOutlined,
  TeamOutlined,
} from '@ant-design/icons';
import type { ReactNode } from 'react';

const icons: Record<string, ReactNode> = {
  AccountBookOutlined: <AccountBookOutlined />,
  BarChartOutlined: <BarChartOutlined />,
  ClusterOutlined: <ClusterOutlined />,
  InboxOutlined: <InboxOutlined />,
  SettingOutlined: <SettingOutlined />,
  ShopOutlined: <ShopOutlined />,
  ShoppingCartOutlined: <ShoppingCartOutlined />,
  TeamOutlined: <TeamOutlined />,
};

export function menuIcon(name: string): ReactNode {
  return icons[name] ?? <AppstoreOutlined />;
}
