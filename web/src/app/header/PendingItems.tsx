/** 待办: what waits for the user; each item opens its screen. */
import { useQuery } from '@tanstack/react-query';
import { CheckSquareOutlined } from '@ant-design/icons';
import { Badge, Button, Dropdown, type MenuProps } from 'antd';
import { api } from '@/lib/api';
import { useTabs } from '@/lib/tabs';

const ASK_EVERY = 120_000;

interface PendingItem {
  id: string;
  type: number;
  content: string;
  count: number;
  url: string;
}

export function PendingItems() {
  const tabs = useTabs();
  const { data = [], refetch } = useQuery({
    queryKey: ['pending'],
    queryFn: () => api.get<PendingItem[]>('v2/open/Message/getPendingMessage'),
    refetchInterval: ASK_EVERY,
    meta: { quiet: true },
  });
  const items: MenuProps['items'] =
    data.length === 0
      ? [{ key: 'none', label: '暂无待办', disabled: true }]
      : data.map((item) => ({
          key: item.id,
          label: item.content,
          onClick: () => tabs.open(item.url, item.content.replace(/^\d+ [张种]/, '')),
        }));
  return (
    <Dropdown trigger={['click']} menu={{ items }} onOpenChange={(open) => open && void refetch()}>
      <Badge count={data.length} size="small" offset={[-4, 6]}>
        <Button type="text" size="middle" icon={<CheckSquareOutlined />} aria-label="待办" title="待办" />
      </Badge>
    </Dropdown>
  );
}
