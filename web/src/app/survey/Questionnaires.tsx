/** 问卷: the entry in the header with its count. */
import { FormOutlined } from '@ant-design/icons';
import { Badge, Button, Tooltip } from 'antd';
import { lazy, Suspense, useState } from 'react';
import { useQuery } from '@/lib/query';
import { useDelayed } from '../useDelayed';
import { questionnaireCountQuery } from './queries';

const QuestionnaireDialog = lazy(() => import('./QuestionnaireDialog'));
const FIRST_LOAD_DELAY = 1000;
const MAX_BADGE = 99;

export function Questionnaires() {
  const due = useDelayed(FIRST_LOAD_DELAY);
  const { data } = useQuery({ ...questionnaireCountQuery(), enabled: due });
  const [open, setOpen] = useState(false);
  return (
    <>
      <Tooltip title="问卷">
        <Badge count={data?.count ?? 0} overflowCount={MAX_BADGE} size="small" offset={[-4, 6]}>
          <Button
            type="text"
            size="middle"
            icon={<FormOutlined />}
            aria-label={`问卷 ${data?.count ?? 0}`}
            onClick={() => setOpen(true)}
          />
        </Badge>
      </Tooltip>
      {open && (
        <Suspense>
          <QuestionnaireDialog onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
