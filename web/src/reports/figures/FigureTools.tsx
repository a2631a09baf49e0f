/** 口径、预警、批注: tools for the figures of a report's tab or of a list, beside its export. */
import { AlertOutlined, CommentOutlined, QuestionCircleOutlined } from '@ant-design/icons';
import { Button, Space } from 'antd';
import { lazy, Suspense, useState } from 'react';

const AlertDialog = lazy(() => import('./AlertDialog'));
const CommentsDrawer = lazy(() => import('./CommentsDrawer'));
const ExplainDrawer = lazy(() => import('./ExplainDrawer'));

type OpenTool = 'explain' | 'alert' | 'comments';

interface Props {
  code: string;
  tab: string;
  /** Screen under which the user's filters are stored. */
  schemeScreen: string;
  /** Grouping of a list. */
  grouping?: string;
  size?: 'small';
}

export function FigureTools({ code, tab, schemeScreen: keptAs, grouping, size }: Props) {
  const [open, setOpen] = useState<OpenTool | null>(null);
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
        {open === 'alert' && <AlertDialog code={code} tab={tab} schemeScreen={keptAs} onClose={close} />}
        {open === 'comments' && <CommentsDrawer code={code} tab={tab} onClose={close} />}
      </Suspense>
    </>
  );
}
