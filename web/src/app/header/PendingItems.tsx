/** 待办: pending items and pending approvals; each opens its bills. */
import { CheckSquareOutlined } from '@ant-design/icons';
import { Badge, Button, Popover, Spin, Tooltip } from 'antd';
import { lazy, Suspense, useState } from 'react';
import { useQuery } from '@/lib/query';
import { pendingQuery, sumWaiting } from './pendingQueries';

const ToDo = lazy(() => import('./ToDo'));
const MAX_BADGE = 99;

export function PendingItems() {
  const [open, setOpen] = useState(false);
  const pending = useQuery(pendingQuery());
  const items = pending.data ?? [];
  const show = (wanted: boolean) => {
    setOpen(wanted);
    if (wanted) void pending.refetch();
  };
  return (
    <Popover
      open={open}
      onOpenChange={show}
      trigger="click"
      placement="bottomRight"
      content={
        <Suspense fallback={<Spin />}>
          <ToDo items={items} onLeave={() => setOpen(false)} />
        </Suspense>
      }
      destroyOnHidden
    >
      <Tooltip title={open ? '' : '待办'}>
        <Badge count={sumWaiting(items)} overflowCount={MAX_BADGE} size="small" offset={[-4, 6]}>
          <Button type="text" size="middle" icon={<CheckSquareOutlined />} aria-label="待办" />
        </Badge>
      </Tooltip>
    </Popover>
  );
}
