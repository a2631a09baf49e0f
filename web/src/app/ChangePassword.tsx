/** 修改密码 */
import { useMutation } from '@tanstack/react-query';
import { Button, Card, Form, Input } from 'antd';
import { api } from '@/lib/api';
import { reportError, showMessage } from '@/lib/errors';
import { passwordRules } from '@/lib/passwordRules';

interface Passwords {
  old_password: string;
  password: string;
  again: string;
}

export default function ChangePassword({ onChanged }: { onChanged?: () => void }) {
  const [form] = Form.useForm<Passwords>();
  const change = useMutation({
    mutationFn: ({ old_password, password }: Passwords) =>
      api.post('v2/system/User/changePassword', { old_password, password }),
    onSuccess: () => {
      form.resetFields();
      showMessage('success', '密码已修改，其他设备上的登录已退出');
      onChanged?.();
    },
    onError: reportError,
  });
  return (
    <Card title="修改密码" size="small">
      <Form<Passwords> form={form} labelCol={{ flex: '84px' }} onFinish={(values) => change.mutate(values)}>
        <Form.Item name="old_password" label="原密码" rules={[{ required: true, message: '请输入原密码' }]}>
          <Input.Password autoComplete="current-password" maxLength={128} />
        </Form.Item>
        <Form.Item name="password" label="新密码" rules={passwordRules}>
          <Input.Password autoComplete="new-password" maxLength={128} />
        </Form.Item>
        <Form.Item
          name="again"
          label="确认密码"
          dependencies={['password']}
          rules={[
            { required: true, message: '请再次输入新密码' },
            ({ getFieldValue }) => ({
              validator: (_, value) =>
                !value || value === getFieldValue('password')
                  ? Promise.resolve()
                  : Promise.reject(new Error('两次输入的新密码不一致')),
            }),
          ]}
        >
          <Input.Password autoComplete="new-password" maxLength={128} />
        </Form.Item>
        <Button type="primary" htmlType="submit" loading={change.isPending}>
          修改密码
        </Button>
      </Form>
    </Card>
  );
}
