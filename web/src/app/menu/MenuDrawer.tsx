/** The whole menu as a drawer, for narrow screens. */
import { Drawer } from 'antd';
import { useLocation } from 'react-router';
import { MenuPanel } from './MenuPanel';
import type { MenuNode } from './menuTree';

export default function MenuDrawer({ menu, onClose }: { menu: MenuNode[]; onClose: () => void }) {
  const { pathname, search } = useLocation();
  return (
    <Drawer open placement="left" size={280} title="菜单" onClose={onClose} styles={{ body: { padding: '8px 0' } }}>
      <MenuPanel nodes={menu} route={pathname + search} onJump={onClose} />
    </Drawer>
  );
}
