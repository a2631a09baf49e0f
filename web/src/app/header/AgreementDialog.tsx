/** 用户协议、隐私协议 */
import { Modal } from 'antd';

export type AgreementName = 'user' | 'privacy';

const agreements: Record<AgreementName, { title: string; paragraphs: string[] }> = {
  user: {
    title: '用户协议',
    paragraphs: [
      '一、账号由所属公司的管理员开通，仅限本人使用，不得转借；密码请定期更换。',
      '二、录入、审核、作废、反审核等操作均记入业务日志，以操作时的登录账号为准。',
      '三、单据、库存、往来及报表数据归所属公司所有，未经授权不得导出或向第三方提供。',
      '四、权限由角色决定。发现越权数据或账号异常，请立即联系管理员并停止使用。',
    ],
  },
  privacy: {
    title: '隐私协议',
    paragraphs: [
      '一、系统保存您的姓名、账号、所属公司与部门、手机号，用于登录、权限与业务留痕。',
      '二、登录凭证保存在本浏览器中，退出登录后清除；单据草稿、列设置与查询方案随账号保存，只有您公开的查询方案他人可见。',
      '三、客户与供应商的联系信息仅用于开单、配送与对账，按角色权限显示。',
      '四、个人信息需要更正或删除时，请联系所属公司的管理员。',
    ],
  },
};

export default function AgreementDialog({ name, onClose }: { name: AgreementName; onClose: () => void }) {
  const { title, paragraphs } = agreements[name];
  return (
    <Modal open title={title} width={600} footer={null} onCancel={onClose}>
      {paragraphs.map((paragraph) => (
        <p key={paragraph}>{paragraph}</p>
      ))}
    </Modal>
  );
}
