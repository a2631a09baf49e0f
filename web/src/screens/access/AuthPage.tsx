/** 权限: right bundles, and every right with the roles that it is granted to. */
import { Button, Card, Empty, Input, Space, Table, Tabs, Tag, Tree, Typography } from 'antd';
import { useDeferredValue, useMemo, useState } from 'react';
import { QueryFallback } from '@/engine/QueryFallback';
import ListPage from '@/engine/list/ListPage';
import type { Screen } from '@/engine/types';
import type { Holder, RightNode } from '@/gen';
import { api } from '@/lib/api';
import { useQuery } from '@/lib/query';
import { useElementSize } from '@/lib/useElementSize';
import { useCanOpenRoute } from '@/lib/routeAccess';
import { useTabs } from '@/lib/tabs';
import { rightTreeQuery } from './queries';
import { listBranches, filterTree } from './rights';
import styles from './access.module.css';

const ROLES_ROUTE = '/system/role';

export default function AuthPage({ screen, params }: { screen: Screen; params: Record<string, string> }) {
  return (
    <Tabs
      size="small"
      defaultActiveKey="bundles"
      items={[
        { key: 'bundles', label: '权限包', children: <ListPage screen={screen} params={params} /> },
        { key: 'rights', label: '全部权限与持有角色', children: <RightsTab /> },
      ]}
    />
  );
}

function RightsTab() {
  const [words, setWords] = useState('');
  const [code, setCode] = useState<{ key: string; title: string } | null>(null);
  const read = useQuery(rightTreeQuery());
  const { data } = read;
  const deferredWords = useDeferredValue(words);
  const shown = useMemo(() => filterTree(data ?? [], deferredWords), [data, deferredWords]);
  const open = useMemo(
    () => (deferredWords.trim() ? listBranches(shown) : shown.slice(0, 1).map(({ key }) => key)),
    [shown, deferredWords],
  );
  const [frame, size] = useElementSize<HTMLDivElement>();
  if (!data) return <QueryFallback title="权限加载失败" queries={[read]} />;
  return (
    <div className={styles.columns} style={{ height: 'calc(100vh - 200px)' }}>
      <Card size="small" className={styles.main}>
        <Space style={{ marginBottom: 8 }}>
          <Input.Search
            allowClear
            placeholder="查找界面、操作或编码"
            aria-label="查找权限"
            style={{ width: 280 }}
            value={words}
            onChange={(event) => setWords(event.target.value)}
          />
          <span className={styles.muted}>选一项权限，右边看谁持有</span>
        </Space>
        <div ref={frame} style={{ flex: 1, minHeight: 0 }}>
          <Tree<RightNode>
            key={open.join()}
            height={size.height || 480}
            blockNode
            treeData={shown}
            fieldNames={{ title: 'title', key: 'key', children: 'children' }}
            defaultExpandedKeys={open}
            titleRender={(node) => <RightTitle node={node} />}
            onSelect={(_, { node }) =>
              setCode(node.children.length === 0 ? { key: node.key, title: node.title } : null)
            }
          />
        </div>
      </Card>
      <Card
        size="small"
        title={code ? `持有“${code.title}”的角色` : '持有角色'}
        className={styles.side}
        style={{ width: 460 }}
      >
        {code ? <RightHolders code={code.key} /> : <Empty description="未选择权限" />}
      </Card>
    </div>
  );
}

function RightTitle({ node }: { node: RightNode }) {
  if (node.children.length > 0) return <span>{node.title}</span>;
  return (
    <Space size={8}>
      {node.title}
      <Typography.Text type="secondary" code>
        {node.key}
      </Typography.Text>
      <Tag color={node.roles ? 'blue' : undefined}>{node.roles ? `${node.roles} 个角色` : '无人持有'}</Tag>
    </Space>
  );
}

function RightHolders({ code }: { code: string }) {
  const tabs = useTabs();
  const reaches = useCanOpenRoute();
  const { data, isFetching } = useQuery({
    queryKey: ['role', 'holders', code],
    queryFn: ({ signal }) => api.get<Holder[]>('v2/system/RoleAuth/getHolders', { code }, { signal }),
  });
  return (
    <Table<Holder>
      size="small"
      rowKey="role_id"
      loading={isFetching}
      pagination={false}
      dataSource={data ?? []}
      columns={[
        {
          title: '角色',
          render: (_, row) =>
            reaches(ROLES_ROUTE) ? (
              <Button
                type="link"
                size="small"
                onClick={() => tabs.open(`/system/roleAdd?id=${row.role_id}`, '修改角色')}
              >
                {row.role_name}
              </Button>
            ) : (
              row.role_name
            ),
        },
        { title: '来自', dataIndex: 'via', width: 130 },
        { title: '用户数', dataIndex: 'users', width: 70, align: 'right' },
      ]}
    />
  );
}
