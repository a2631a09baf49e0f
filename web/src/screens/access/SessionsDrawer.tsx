/** 在线会话: a user's sessions, each of which can be ended. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { App, Button, Drawer, Table, Tag } from 'antd';
import { confirmAct } from '@/engine/consequenceDialog';
import type { Row, Screen } from '@/engine/types';
import type { OpenSession } from '@/gen';
import { api } from '@/lib/api';
import { reportError, showMessage } from '@/lib/errors';
import { describeUserAgent } from '@/lib/userAgent';
import { useQuery } from '@/lib/query';

interface Props {
  screen: Screen;
  user: Row;
  canEnd: boolean;
  onClose: () => void;
}

export function SessionsDrawer({ screen, user, canEnd: mayEnd, onClose }: Props) {
  const { modal } = App.useApp();
  const client = useQueryClient();
  const key = [screen.name, 'sessions', user.user_id];
  const { data, isFetching } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) =>
      api.get<OpenSession[]>(`${screen.api}/getSessions`, { user_id: Number(user.user_id) }, { signal }),
    staleTime: 0,
  });
  const end = useMutation({
    mutationFn: (session_id: number) => api.post(`${screen.api}/endSession`, { session_id }),
    onSuccess: () => {
      showMessage('success', '会话已结束');
      void client.invalidateQueries({ queryKey: [screen.name] });
    },
    onError: reportError,
  });
  const ask = async (row: OpenSession) => {
    const agreed = await confirmAct(modal, {
      title: `结束“${String(user.realname)}”的会话？`,
      okText: '确认结束',
      danger: true,
      about: {
        effect: '他会立即退出，没有保存的内容留在他的浏览器里',
        undo: '他重新登录即可',
        facts: [
          { label: '登录时间', value: row.made_at },
          { label: '最近使用', value: row.seen_at ?? '—' },
          { label: '地址', value: row.client ?? '—' },
        ],
      },
    });
    if (agreed) end.mutate(row.session_id);
  };
  return (
    <Drawer open size={820} title={`“${String(user.realname)}”的在线会话`} onClose={onClose}>
      <Table<OpenSession>
        size="small"
        rowKey="session_id"
        loading={isFetching}
        dataSource={data ?? []}
        pagination={false}
        columns={[
          { title: '类型', width: 130, render: (_, row) => <SessionKindTag row={row} /> },
          { title: '登录时间', dataIndex: 'made_at', width: 150 },
          { title: '最近使用', dataIndex: 'seen_at', width: 150 },
          { title: '地址', width: 110, render: (_, row) => row.client ?? '—' },
          {
            title: '浏览器',
            ellipsis: true,
            render: (_, row) => <span title={row.agent ?? ''}>{describeUserAgent(row.agent) || '—'}</span>,
          },
          {
            title: '',
            width: 70,
            render: (_, row) =>
              mayEnd &&
              !row.is_own && (
                <Button type="link" size="small" danger onClick={() => void ask(row)}>
                  结束
                </Button>
              ),
          },
        ]}
      />
    </Drawer>
  );
}

function SessionKindTag({ row }: { row: OpenSession }) {
  if (row.imitator) return <Tag color="orange">由 {row.imitator} 模拟</Tag>;
  if (row.is_own) return <Tag color="blue">当前会话</Tag>;
  return <Tag>{row.kind}</Tag>;
}
