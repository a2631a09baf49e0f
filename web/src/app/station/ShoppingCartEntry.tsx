/** 购物车: opens for whoever the server gives the cart. */
import { ShoppingCartOutlined } from '@ant-design/icons';
import { useMutation } from '@tanstack/react-query';
import { Badge, Button, Tooltip } from 'antd';
import type { RequestOpen } from '@/gen';
import { api } from '@/lib/api';
import { reportError, showMessage } from '@/lib/errors';
import { useTabs } from '@/lib/tabs';
import { MAX_BADGE, useCartCount } from './counters';

const REFUSED_MESSAGE = '暂无查看权限';

export function ShoppingCartEntry() {
  const tabs = useTabs();
  const count = useCartCount();
  const open = useMutation({
    mutationFn: () => api.get<RequestOpen | null>('open/RequestOpen/getRequestOpenList', { code: 'shoppingCart' }),
    onSuccess: (found) => {
      if (found?.is_role === 'Y') tabs.open('/shoppingCart', '购物车', { keepAlive: true });
      else showMessage('error', REFUSED_MESSAGE);
    },
    onError: reportError,
  });
  return (
    <Tooltip title="购物车">
      <Badge count={count} overflowCount={MAX_BADGE} size="small" offset={[-4, 6]}>
        <Button
          type="text"
          size="middle"
          icon={<ShoppingCartOutlined />}
          aria-label={`购物车 ${count}`}
          loading={open.isPending}
          onClick={() => open.mutate()}
        />
      </Badge>
    </Tooltip>
  );
}
