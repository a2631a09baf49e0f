/** 登录 */
import { LockOutlined, UserOutlined } from '@ant-design/icons';
import { useMutation } from '@tanstack/react-query';
import { Alert, Button, Checkbox, Form, Input } from 'antd';
import { Navigate } from 'react-router';
import type { LoggedIn } from '@/gen';
import { api } from '@/lib/api';
import { routeAfterLogin, signIn, useSession } from '../session';
import { BrandPanel } from './BrandPanel';
import styles from './login.module.css';

interface Credentials {
  user_name: string;
  password: string;
  remember: boolean;
}

const USER_NAME_KEY = 'rememberedUserName';

function storeUserName({ user_name, remember: wanted }: Credentials): void {
  if (wanted) localStorage.setItem(USER_NAME_KEY, user_name);
  else localStorage.removeItem(USER_NAME_KEY);
}

export default function LoginPage() {
  const session = useSession();
  const login = useMutation({
    mutationFn: ({ user_name, password }: Credentials) =>
      api.post<LoggedIn>('v2/user/Login/login', { user_name, password }),
    onSuccess: (answer, credentials) => {
      storeUserName(credentials);
      signIn(answer);
    },
  });

  if (session !== null) return <Navigate to={routeAfterLogin(session.user_id)} replace />;

  const rememberedName = localStorage.getItem(USER_NAME_KEY) ?? '';
  return (
    <div className={styles.page}>
      <BrandPanel />
      <main className={styles.side}>
        <div className={styles.card}>
          <h1 className={styles.title}>欢迎登录</h1>
          <p className={styles.subtitle}>汽配轮胎供应链平台</p>
          <Form<Credentials>
            size="large"
            requiredMark={false}
            initialValues={{ user_name: rememberedName, remember: rememberedName !== '' }}
            onFinish={(values) => login.mutate(values)}
          >
            <Form.Item name="user_name" rules={[{ required: true, whitespace: true, message: '请输入用户名' }]}>
              <Input
                prefix={<UserOutlined />}
                placeholder="用户名"
                aria-label="用户名"
                autoComplete="username"
                autoFocus={rememberedName === ''}
                maxLength={64}
              />
            </Form.Item>
            <Form.Item name="password" rules={[{ required: true, message: '请输入密码' }]}>
              <Input.Password
                prefix={<LockOutlined />}
                placeholder="密码"
                aria-label="密码"
                autoComplete="current-password"
                autoFocus={rememberedName !== ''}
                maxLength={128}
              />
            </Form.Item>
            {login.error && (
              <Alert className={styles.error} type="error" showIcon title={login.error.message} role="alert" />
            )}
            <Form.Item name="remember" valuePropName="checked" noStyle>
              <Checkbox className={styles.remember}>记住用户名</Checkbox>
            </Form.Item>
            <Button type="primary" htmlType="submit" block loading={login.isPending}>
              登录
            </Button>
          </Form>
        </div>
        <footer className={styles.footer}>建议使用 Chrome、Edge 最新版本，分辨率 1366×768 以上</footer>
      </main>
    </div>
  );
}
