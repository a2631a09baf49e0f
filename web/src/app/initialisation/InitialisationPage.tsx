/** 初始化上传: the uploads of a company, the linked one or the user's own, and their results. */
import { Button, Flex, Space } from 'antd';
import { lazy, Suspense, useState } from 'react';
import { RefSelect } from '@/engine/fields/RefSelect';
import ListPage from '@/engine/list/ListPage';
import { findAction, findRefField, type Screen } from '@/engine/types';
import { getSession } from '@/lib/session';
import { useHistoryScreen } from '@/screens/CompanyMonth';

const InitialisationDialog = lazy(() => import('./InitialisationDialog'));

export default function InitialisationPage({ screen, params }: { screen: Screen; params: Record<string, string> }) {
  const session = getSession();
  const [company, choose] = useState<{ id: number; name: string | null }>(() => {
    const requestedId = Number(params.company_id ?? 0);
    return requestedId > 0
      ? { id: requestedId, name: null }
      : { id: session?.company_id ?? 0, name: session?.company_name ?? null };
  });
  const [open, setOpen] = useState(false);
  const field = findRefField(screen, 'company_id');
  const history = useHistoryScreen(screen);
  return (
    <Flex vertical gap={8}>
      {findAction(screen, 'upload') && (
        <Space>
          {field && (
            <div style={{ width: 260 }}>
              <RefSelect
                field={{ ...field, required: true }}
                value={company.id}
                label={company.name}
                onChange={(id, name) => choose({ id: Number(id ?? 0), name })}
              />
            </div>
          )}
          <Button type="primary" disabled={company.id === 0} onClick={() => setOpen(true)}>
            上传
          </Button>
        </Space>
      )}
      <ListPage screen={history} params={params} />
      {open && (
        <Suspense>
          <InitialisationDialog companyId={company.id} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </Flex>
  );
}
