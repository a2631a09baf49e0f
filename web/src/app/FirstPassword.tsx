/** 首次登录: a password that somebody else set is changed before anything else. */
import { Alert, Button, Flex, Spin } from 'antd';
import { lazy, Suspense } from 'react';
import { api } from '@/lib/api';
import type { Session } from '@/lib/session';
import { markPasswordChanged, signOut } from './session';

// Hardly anybody sees it, and it would bring all of the form's parts into the first load.
const ChangePassword = lazy(() => import('./ChangePassword'));

export function FirstPassword({ session }: { session: Session }) {
  const leave = () => void api.post('repo_logout').then(signOut, signOut);
  return (
    <Flex justify="center" align="center" style={{ minHeight: '100%', background: 'var(--ant-color-bg-layout)' }}>
      <Flex vertical gap={12} style={{ width: 420 }}>
        <Alert
          type="info"
          showIcon
          title={`${session.realname}，请先设置自己的密码`}
          description="当前密码由管理员设置。修改后即可使用系统。"
        />
        <Suspense fallback={<Spin />}>
          <ChangePassword onChanged={markPasswordChanged} />
        </Suspense>
        <Button type="link" onClick={leave}>
          退出登录
        </Button>
      </Flex>
    </Flex>
  );
}
