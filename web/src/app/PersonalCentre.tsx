/** 个人中心: the signed-in user as the login answered it, and the change of his password. */
import { Card, Descriptions, Flex } from 'antd';
import ChangePassword from './ChangePassword';
import { useSession } from './session';

const systemTypes: Record<number, string> = { 0: 'ERP 后台', 1: '服务站' };
const versions: Record<number, string> = { 1: '标准版', 2: '简洁版' };

export default function PersonalCentre() {
  const session = useSession();
  if (session === null) return null;
  const { system } = session;
  return (
    <Flex vertical gap={8} style={{ maxWidth: 860 }}>
      <Card title="个人中心" size="small">
        <Descriptions
          bordered
          column={{ xs: 1, md: 2 }}
          size="small"
          items={[
            { label: '姓名', children: session.realname },
            { label: '用户名', children: session.user_name },
            { label: '所属公司', children: session.company_name },
            { label: '所属部门', children: session.department_name || '—' },
            { label: '角色', children: session.role_name },
            { label: '登录有效期至', children: session.expires_at },
            { label: '系统类型', children: systemTypes[system.type] ?? system.type },
            { label: '操作版本', children: versions[system.operatingVersion] ?? system.operatingVersion },
          ]}
        />
      </Card>
      <ChangePassword />
    </Flex>
  );
}
