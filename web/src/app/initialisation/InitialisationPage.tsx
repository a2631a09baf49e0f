/** 初始化上传: the files of a company, the one a link names or one's own, and what became of them. */
import { Button, Flex, Space } from 'antd';
import { lazy, Suspense, useState } from 'react';
import { RefSelect } from '@/engine/fields/RefSelect';
import ListPage from '@/engine/list/ListPage';
import { actionOf, refField, type Screen } from '@/engine/types';
import { getSession } from '@/lib/session';
import { useHistory } from '@/screens/CompanyMonth';

const InitialisationDialog = lazy(() => import('./InitialisationDialog'));

export default function InitialisationPage({ screen, params }: { screen: Screen; params: Record<string, string> }) {
  const session = getSession();
  const [company, choose] = useState<{ id: number; name: string | null }>(() => {
    const asked = Number(params.company_id ?? 0);
    return asked > 0 ? { id: asked, name: null } : { id: session?.company_id ?? 0, name: session?.company_name ?? null };
  });
  const [open, setOpen] = useState(false);
  const field = refField(screen, 'company_id');
  const history = useHistory(screen);
  return (
    <Flex vertical gap={8}>
      {actionOf(screen, 'upload') && (
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
