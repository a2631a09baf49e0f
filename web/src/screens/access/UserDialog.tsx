/** A user's account; a new one comes with a first password. */
import { useMutation } from '@tanstack/react-query';
import { Form, Input, Modal } from 'antd';
import { useState } from 'react';
import { RefSelect } from '@/engine/fields/RefSelect';
import { findRefField, type Row, type Screen } from '@/engine/types';
import { api, getSession } from '@/lib/api';
import { reportError, showMessage } from '@/lib/errors';
import { passwordRules } from '@/lib/passwordRules';

interface Account {
  user_name: string;
  realname: string;
  email?: string | null;
  password?: string;
}

type Choice = { id: number | null; name: string | null };
const REFS = ['company_id', 'employee_id', 'role_id'] as const;
type RefName = (typeof REFS)[number];

interface Props {
  screen: Screen;
  user: Row | null;
  onClose: () => void;
  onSaved: () => void;
}

export function UserDialog({ screen, user, onClose, onSaved }: Props) {
  const [form] = Form.useForm<Account>();
  const [chosen, setChosen] = useState<Record<RefName, Choice>>(() => startingChoices(user));
  const [asked, setAsked] = useState(false);
  const save = useMutation({
    mutationFn: (values: Account) =>
      api.post(`${screen.api}/save`, {
        ...values,
        user_id: user ? Number(user.user_id) : null,
        ...Object.fromEntries(REFS.map((name) => [name, chosen[name].id])),
      }),
    onSuccess: () => {
      showMessage('success', user ? '用户已保存' : '用户已新增，请告知初始密码，首次登录须修改');
      onSaved();
      onClose();
    },
    onError: reportError,
  });
  const missing = chosen.company_id.id === null || chosen.role_id.id === null;
  const choose = (name: RefName, choice: Choice) =>
    setChosen((before) => ({
      ...before,
      ...(name === 'company_id' ? { employee_id: { id: null, name: null } } : {}),
      [name]: choice,
    }));
  return (
    <Modal
      open
      width={480}
      title={user ? `修改用户“${String(user.realname)}”` : '新增用户'}
      okText="保存"
      confirmLoading={save.isPending}
      onOk={() => {
        setAsked(true);
        form.submit();
      }}
      onCancel={onClose}
    >
      <Form<Account>
        form={form}
        layout="vertical"
        initialValues={
          user
            ? { user_name: String(user.user_name), realname: String(user.realname), email: user.email as string | null }
            : {}
        }
        onFinish={(values) => !missing && save.mutate(values)}
      >
        <Form.Item
          name="user_name"
          label="登录名"
          rules={[{ required: true, whitespace: true, message: '请输入登录名' }]}
        >
          <Input autoFocus={!user} autoComplete="off" maxLength={50} />
        </Form.Item>
        <Form.Item name="realname" label="姓名" rules={[{ required: true, whitespace: true, message: '请输入姓名' }]}>
          <Input maxLength={50} />
        </Form.Item>
        <Form.Item
          name="email"
          label="邮箱"
          extra="订阅的报表可发到这里"
          normalize={(typed: string) => typed.trim() || null}
          rules={[{ type: 'email', message: '请输入正确的邮箱地址' }]}
        >
          <Input autoComplete="off" maxLength={100} />
        </Form.Item>
        {REFS.map((name) => {
          const field = findRefField(screen, name);
          if (!field) return null;
          const wanting = asked && field.required && chosen[name].id === null;
          return (
            <Form.Item
              key={name}
              label={field.label}
              required={field.required}
              help={wanting ? `请选择${field.label}` : undefined}
              validateStatus={wanting ? 'error' : ''}
            >
              <RefSelect
                field={field}
                value={chosen[name].id}
                label={chosen[name].name}
                narrow={
                  name === 'employee_id' && chosen.company_id.id !== null ? { company_id: chosen.company_id.id } : {}
                }
                onChange={(id, label) => choose(name, { id: typeof id === 'number' ? id : null, name: label })}
              />
            </Form.Item>
          );
        })}
        {!user && (
          <Form.Item name="password" label="初始密码" extra="首次登录须改为自己的密码" rules={passwordRules}>
            <Input.Password autoComplete="new-password" maxLength={128} />
          </Form.Item>
        )}
      </Form>
    </Modal>
  );
}

function startingChoices(user: Row | null): Record<RefName, Choice> {
  const session = getSession();
  const stored = (id: string, name: string): Choice => ({
    id: user?.[id] ? Number(user[id]) : null,
    name: user?.[name] ? String(user[name]) : null,
  });
  return {
    company_id: user
      ? stored('company_id', 'company_name')
      : { id: session?.company_id ?? null, name: session?.company_name ?? null },
    employee_id: stored('employee_id', 'employee_name'),
    role_id: stored('role_id', 'role_name'),
  };
}
