/** 用户: accounts with their locks, logins and sessions; what a row may need is at its end. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import {
  App,
  Button,
  Dropdown,
  Flex,
  Input,
  Segmented,
  Space,
  Table,
  Tag,
  type MenuProps,
  type TableProps,
} from 'antd';
import { useState } from 'react';
import { confirmAct } from '@/engine/consequenceDialog';
import { useExport } from '@/engine/list/useExport';
import { listQuery, totalsQuery } from '@/engine/queries';
import { findAction, type Row, type Screen } from '@/engine/types';
import { api } from '@/lib/api';
import { reportError, showMessage } from '@/lib/errors';
import { useQuery } from '@/lib/query';
import { useDebounced } from '@/lib/useDebounced';
import { useCanOpenRoute } from '@/lib/routeAccess';
import { useTabs } from '@/lib/tabs';
import { PasswordDialog } from './PasswordDialog';
import { SessionsDrawer } from './SessionsDrawer';
import { UserDialog } from './UserDialog';

const ROLES = '/system/role';

type OpenDialog = { kind: 'edit' | 'password' | 'sessions'; user: Row | null } | null;

export default function UserPage({ screen }: { screen: Screen }) {
  const client = useQueryClient();
  const tabs = useTabs();
  const reaches = useCanOpenRoute();
  const { modal } = App.useApp();
  const [words, setWords] = useState('');
  const [enabled, setEnabled] = useState('');
  const [page, setPage] = useState({ page: 1, per_page: 30 });
  const [open, setOpen] = useState<OpenDialog>(null);
  const query = { keyword: useDebounced(words.trim()), enabled, ...page };
  const list = useQuery(listQuery(screen, query));
  const sums = useQuery(totalsQuery(screen, query));
  const exporting = useExport(screen);
  const may = (name: string) => findAction(screen, name) !== undefined;
  const renew = () => void client.invalidateQueries({ queryKey: [screen.name] });
  const act = useMutation({
    mutationFn: ({ call, body }: { call: string; body: object; successMessage: string }) =>
      api.post(`${screen.api}/${call}`, body),
    onSuccess: (_, { successMessage }) => {
      showMessage('success', successMessage);
      renew();
    },
    onError: reportError,
  });
  const confirm = async (
    user: Row,
    title: string,
    effect: string,
    undo: string,
    command: { call: string; body: object; successMessage: string },
  ) => {
    const about = { effect, undo, facts: buildFacts(user) };
    if (await confirmAct(modal, { title, danger: true, about })) act.mutate(command);
  };

  const more = (user: Row): MenuProps['items'] => {
    const ids = [Number(user.user_id)];
    const name = String(user.realname);
    return [
      { key: 'password', label: '重设密码', onClick: () => setOpen({ kind: 'password', user }) },
      { key: 'sessions', label: '在线会话', onClick: () => setOpen({ kind: 'sessions', user }) },
      ...(user.locked
        ? [
            {
              key: 'unlock',
              label: '解除锁定',
              onClick: () => act.mutate({ call: 'unlock', body: { ids }, successMessage: '已解除锁定' }),
            },
          ]
        : []),
      user.enabled
        ? {
            key: 'disable',
            label: '停用',
            danger: true,
            onClick: () =>
              void confirm(user, `停用“${name}”？`, '不能再登录，正在进行的登录立即结束', '启用', {
                call: 'setEnabled',
                body: { ids, enabled: false },
                successMessage: '已停用',
              }),
          }
        : {
            key: 'enable',
            label: '启用',
            onClick: () => act.mutate({ call: 'setEnabled', body: { ids, enabled: true }, successMessage: '已启用' }),
          },
      ...(may('del')
        ? [
            {
              key: 'del',
              label: '删除',
              danger: true,
              onClick: () =>
                void confirm(
                  user,
                  `删除“${name}”？`,
                  '删除账号；有业务记录的用户不能删除，可以停用',
                  '不能恢复，只能重新新增',
                  { call: 'del', body: { ids }, successMessage: '已删除' },
                ),
            },
          ]
        : []),
    ];
  };
  const columns: TableProps<Row>['columns'] = [
    { title: '登录名', dataIndex: 'user_name', width: 120, ellipsis: true },
    { title: '姓名', dataIndex: 'realname', width: 100, ellipsis: true },
    { title: '公司', dataIndex: 'company_name', width: 180, ellipsis: true },
    { title: '员工', dataIndex: 'employee_name', width: 100, ellipsis: true },
    {
      title: '角色',
      width: 140,
      ellipsis: true,
      render: (_, row) =>
        reaches(ROLES) ? (
          <Button
            type="link"
            size="small"
            style={{ padding: 0 }}
            onClick={() => tabs.open(`/system/roleAdd?id=${String(row.role_id)}`, '修改角色')}
          >
            {String(row.role_name ?? '')}
          </Button>
        ) : (
          String(row.role_name ?? '')
        ),
    },
    { title: '状态', width: 130, render: (_, row) => <UserState user={row} /> },
    {
      title: '最近登录',
      dataIndex: 'last_login_at',
      width: 160,
      render: (at: string | null) => at ?? <span style={{ opacity: 0.45 }}>从未登录</span>,
    },
    {
      title: '操作',
      width: 130,
      fixed: 'right',
      render: (_, row) =>
        may('edit') ? (
          <Space size={4}>
            <Button type="link" size="small" onClick={() => setOpen({ kind: 'edit', user: row })}>
              修改
            </Button>
            <Dropdown menu={{ items: more(row) }} trigger={['click']}>
              <Button type="link" size="small">
                更多
              </Button>
            </Dropdown>
          </Space>
        ) : (
          <Button type="link" size="small" onClick={() => setOpen({ kind: 'sessions', user: row })}>
            在线会话
          </Button>
        ),
    },
  ];
  return (
    <Flex vertical gap={8}>
      <Flex gap={8} wrap align="center">
        {may('add') && (
          <Button type="primary" onClick={() => setOpen({ kind: 'edit', user: null })}>
            新增用户
          </Button>
        )}
        <Input.Search
          allowClear
          placeholder="登录名、姓名、公司、角色"
          aria-label="查找用户"
          style={{ width: 260 }}
          value={words}
          onChange={(event) => {
            setWords(event.target.value);
            setPage({ ...page, page: 1 });
          }}
        />
        <Segmented
          options={[
            { value: '', label: '全部' },
            { value: 'true', label: '启用' },
            { value: 'false', label: '停用' },
          ]}
          value={enabled}
          onChange={(chosen) => {
            setEnabled(chosen);
            setPage({ ...page, page: 1 });
          }}
        />
        <span style={{ flex: 1 }} />
        {may('export') && (
          <Button loading={exporting.isPending} onClick={() => exporting.mutate(query)}>
            导出
          </Button>
        )}
      </Flex>
      <Table<Row>
        size="small"
        rowKey="user_id"
        loading={list.isFetching}
        dataSource={list.data?.data ?? []}
        columns={columns}
        scroll={{ x: 1060, y: 'calc(100vh - 270px)' }}
        pagination={{
          current: page.page,
          pageSize: page.per_page,
          total: sums.data?.total ?? 0,
          showSizeChanger: true,
          showTotal: (total) => `共 ${total} 个用户`,
          onChange: (current, size) => setPage({ page: current, per_page: size }),
        }}
      />
      {open?.kind === 'edit' && (
        <UserDialog screen={screen} user={open.user} onClose={() => setOpen(null)} onSaved={renew} />
      )}
      {open?.kind === 'password' && open.user && (
        <PasswordDialog screen={screen} user={open.user} onClose={() => setOpen(null)} />
      )}
      {open?.kind === 'sessions' && open.user && (
        <SessionsDrawer screen={screen} user={open.user} canEnd={may('edit')} onClose={() => setOpen(null)} />
      )}
    </Flex>
  );
}

/** Build the facts about the user for a consequence. */
function buildFacts(user: Row) {
  return [
    { label: '用户', value: `${String(user.realname)}（${String(user.user_name)}）` },
    { label: '公司', value: String(user.company_name ?? '') },
    { label: '角色', value: String(user.role_name ?? '') },
    { label: '正在登录', value: `${Number(user.online_count ?? 0)} 处` },
  ];
}

function UserState({ user }: { user: Row }) {
  if (!user.enabled) return <Tag>停用</Tag>;
  return (
    <Space size={0}>
      {user.locked ? <Tag color="red">已锁定</Tag> : <Tag color="green">启用</Tag>}
      {Number(user.online_count) > 0 && <Tag color="blue">在线 {String(user.online_count)}</Tag>}
    </Space>
  );
}
