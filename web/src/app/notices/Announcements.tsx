/** 系统公告: the bell in the header; ten more at each load, and the screen that lists all. */
import { BellOutlined } from '@ant-design/icons';
import { Badge, Button, Popover, Spin, Tooltip } from 'antd';
import { lazy, Suspense, useState } from 'react';
import { useQuery } from '@/lib/query';
import type { Message } from '@/gen';
import { unreadQuery } from './queries';

const MessageList = lazy(() => import('./MessageList'));
const MessageDialog = lazy(() => import('./MessageDialog'));
const MAX_BADGE = 99;

export function Announcements() {
  const { data } = useQuery(unreadQuery());
  const [open, setOpen] = useState(false);
  const [shown, setShown] = useState<Message | null>(null);
  const read = (message: Message) => {
    setOpen(false);
    setShown(message);
  };
  return (
    <>
      <Popover
        open={open}
        onOpenChange={setOpen}
        trigger="click"
        placement="bottomRight"
        destroyOnHidden
        content={
          <Suspense fallback={<Spin />}>
            <MessageList onRead={read} onLeave={() => setOpen(false)} />
          </Suspense>
        }
      >
        <Tooltip title={open ? '' : '系统公告'}>
          <Badge count={data?.count ?? 0} overflowCount={MAX_BADGE} size="small" offset={[-4, 6]}>
            <Button type="text" size="middle" icon={<BellOutlined />} aria-label={`系统公告 ${data?.count ?? 0}`} />
          </Badge>
        </Tooltip>
      </Popover>
      {shown && (
        <Suspense>
          <MessageDialog message={shown} onClose={() => setShown(null)} />
        </Suspense>
      )}
    </>
  );
}
