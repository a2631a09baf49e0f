/** 数据字典: meaning of the reports' columns; their lineage, as dbt docs draws it. */
import { Alert, Flex, Segmented, Spin } from 'antd';
import { useState } from 'react';
import ListPage from '@/engine/list/ListPage';
import type { Screen } from '@/engine/types';
import { SandboxedFrame } from '@/lib/SandboxedFrame';
import { api } from '@/lib/api';
import { useQuery } from '@/lib/query';

const views = { columns: '表与列', lineage: '血缘与 SQL' } as const;
type View = keyof typeof views;
const options = Object.entries(views).map(([value, label]) => ({ value: value as View, label }));

export default function DataDictionaryPage({ screen }: { screen: Screen }) {
  const [view, setView] = useState<View>('columns');
  return (
    <Flex vertical gap={12} style={{ height: '100%' }}>
      <div>
        <Segmented options={options} value={view} onChange={setView} />
      </div>
      {view === 'columns' ? <ListPage screen={screen} params={{}} /> : <Lineage screen={screen} />}
    </Flex>
  );
}

/** The page comes by an authorised call and runs without an origin: it reaches neither the token nor the server. */
function Lineage({ screen }: { screen: Screen }) {
  const { data, error } = useQuery({
    queryKey: [screen.name, 'lineage'],
    queryFn: async () => (await api.download(`${screen.api}/getLineage`)).text(),
    staleTime: Infinity,
  });
  if (error) return <Alert type="warning" showIcon title={error.message} />;
  if (!data) return <Spin style={{ marginTop: 80 }} />;
  return (
    <SandboxedFrame
      title={views.lineage}
      html={data}
      style={{ flex: 1, minHeight: 'calc(100vh - 180px)', border: 0 }}
    />
  );
}
