/** 模拟登录: choose a user and work as he would, within one's own rights. */
import { useMutation } from '@tanstack/react-query';
import { App } from 'antd';
import { useMemo } from 'react';
import { confirmAct } from '@/engine/consequenceDialog';
import ListPage from '@/engine/list/ListPage';
import { findAction, type Action, type Row, type Screen } from '@/engine/types';
import { reportError } from '@/lib/errors';
import { startImpersonation } from '@/lib/impersonation';

const INSTRUCTIONS =
  '点一个用户的姓名（或双击一行），以他的身份登录查看。只能模拟权限不超过自己的用户；模拟中不能修改账号、角色和密码，不能导出。';
const DENIED_MESSAGE = '您可以查看用户，但没有模拟登录的权限。';

export default function ImpersonatePage({ screen, params }: { screen: Screen; params: Record<string, string> }) {
  const { modal } = App.useApp();
  const start = useMutation({ mutationFn: startImpersonation, onError: reportError });
  const allowed = findAction(screen, 'imitate') !== undefined;
  // Who is chosen is opened by a click on his row; the list has no buttons of its own.
  const plain = useMemo(
    () => ({ ...screen, actions: [] as Action[], note: allowed ? INSTRUCTIONS : DENIED_MESSAGE }),
    [screen, allowed],
  );
  const ask = async (row: Row) => {
    const agreed = await confirmAct(modal, {
      title: `以“${String(row.realname)}”的身份登录？`,
      okText: '模拟登录',
      about: {
        effect: '您看到和能做的不超过自己的权限；所做的修改同时记录您的姓名',
        undo: '点“结束模拟”，或一小时后，回到自己的账号',
        facts: [{ label: '用户', value: String(row.realname) }],
      },
    });
    if (agreed) start.mutate(Number(row.user_id));
  };
  return <ListPage screen={plain} params={params} onOpen={allowed ? (row) => void ask(row) : undefined} />;
}
