/** 口径、预警、批注: what one may ask about the figures of a report's tab, or of a list, beside its export. */
import { AlertOutlined, CommentOutlined, QuestionCircleOutlined } from '@ant-design/icons';
import { Button, Space } from 'antd';
import { lazy, Suspense, useState } from 'react';

const AlertDialog = lazy(() => import('./AlertDialog'));
const CommentsDrawer = lazy(() => import('./CommentsDrawer'));
const ExplainDrawer = lazy(() => import('./ExplainDrawer'));

type Open = 'explain' | 'alert' | 'comments';

interface Props {
  code: string;
  tab: string;
  /** Under which name the user's filters are kept. */
  keptAs: string;
  /** What a list is summed up by. */
  grouping?: string;
  size?: 'small';
}

export function FigureTools({ code, tab, keptAs, grouping, size }: Props) {
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <Space.Compact>
        <Button size={size} icon={<QuestionCircleOutlined />} onClick={() => setOpen('explain')}>
          口径
        </Button>
        <Button size={size} icon={<AlertOutlined />} onClick={() => setOpen('alert')}>
          预警
        </Button>
        <Button size={size} icon={<CommentOutlined />} onClick={() => setOpen('comments')}>
          批注
        </Button>
      </Space.Compact>
      <Suspense>
        {open === 'explain' && <ExplainDrawer code={code} tab={tab} grouping={grouping} onClose={close} />}
        {open === 'alert' && <AlertDialog code={code} tab={tab} keptAs={keptAs} onClose={close} />}
        {open === 'comments' && <CommentsDrawer code={code} tab={tab} onClose={close} />}
      </Suspense>
    </>
  );
}
