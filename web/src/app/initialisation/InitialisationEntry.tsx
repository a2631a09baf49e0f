/** 系统初始化: the entry in the header, there while the company has not finished it. */
import { RocketOutlined } from '@ant-design/icons';
import { Button, Tooltip } from 'antd';
import { lazy, Suspense, useState } from 'react';
import { useQuery } from '@/lib/query';
import { useSession } from '../session';
import { companyInfoQuery, DONE_STATE } from './steps';

const InitialisationDialog = lazy(() => import('./InitialisationDialog'));

export function InitialisationEntry() {
  const companyId = useSession()?.company_id ?? 0;
  const [open, setOpen] = useState(false);
  const { data } = useQuery({ ...companyInfoQuery(companyId, false), staleTime: Infinity });
  if (!open && (data === undefined || !data.may_upload || data.is_initialization >= DONE_STATE)) return null;
  return (
    <>
      <Tooltip title="系统初始化">
        <Button
          type="text"
          size="middle"
          icon={<RocketOutlined />}
          aria-label="系统初始化"
          onClick={() => setOpen(true)}
        />
      </Tooltip>
      {open && (
        <Suspense>
          <InitialisationDialog companyId={companyId} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
