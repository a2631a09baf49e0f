/** 首次登录: a password that somebody else set is changed before anything else. */
import { Alert, Button, Flex } from 'antd';
import { api } from '@/lib/api';
import type { Session } from '@/lib/session';
import { ChangePassword } from './ChangePassword';
import { passwordChanged, signOut } from './session';

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
        <ChangePassword onChanged={passwordChanged} />
        <Button type="link" onClick={leave}>
          退出登录
        </Button>
      </Flex>
    </Flex>
  );
}
