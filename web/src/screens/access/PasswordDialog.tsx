/** 重设密码: ends the user's logins; he sets his own when he next logs in. */
import { useMutation } from '@tanstack/react-query';
import { Form, Input, Modal } from 'antd';
import { Consequences } from '@/engine/consequenceDialog';
import type { Row, Screen } from '@/engine/types';
import { api } from '@/lib/api';
import { reportError, showMessage } from '@/lib/errors';
import { passwordRules } from '@/lib/passwordRules';

export function PasswordDialog({ screen, user, onClose }: { screen: Screen; user: Row; onClose: () => void }) {
  const [form] = Form.useForm<{ password: string }>();
  const save = useMutation({
    mutationFn: ({ password }: { password: string }) =>
      api.post(`${screen.api}/setPassword`, { user_id: user.user_id, password }),
    onSuccess: () => {
      showMessage('success', '密码已重设，请告知本人登录后修改');
      onClose();
    },
    onError: reportError,
  });
  const about = {
    effect: '原密码作废，他的登录立即结束，下次登录须改为自己的密码',
    undo: '原密码不能恢复，可以再次重设',
    facts: [
      { label: '用户', value: `${String(user.realname)}（${String(user.user_name)}）` },
      { label: '正在登录', value: `${Number(user.online_count ?? 0)} 处` },
    ],
  };
  return (
    <Modal
      open
      width={480}
      title={`重设“${String(user.realname)}”的密码`}
      okText="重设"
      confirmLoading={save.isPending}
      onOk={form.submit}
      onCancel={onClose}
    >
      <Consequences of={about} />
      <Form form={form} layout="vertical" onFinish={(values) => save.mutate(values)}>
        <Form.Item name="password" label="新密码" rules={passwordRules}>
          <Input.Password autoFocus autoComplete="new-password" maxLength={128} />
        </Form.Item>
      </Form>
    </Modal>
  );
}
