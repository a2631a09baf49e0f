/** 发布看板: an own board and its roles; a new version if it is published already. */
import { Alert, Form, Input, Modal, Select } from 'antd';
import { useState } from 'react';
import { useQuery } from '@/lib/query';
import { boardChoicesQuery, useBoardCommand } from './boards';

export default function PublishDialog({ onClose }: { onClose: () => void }) {
  const { data, error } = useQuery(boardChoicesQuery());
  const publishing = useBoardCommand();
  const [source, setSource] = useState<number | null>(null);
  const [roles, setRoles] = useState<number[]>([]);
  const [note, setNote] = useState('');
  const choose = (chosen: number) => {
    setSource(chosen);
    const present = data?.boards.find(({ source_id }) => source_id === chosen)?.role_ids ?? [];
    // A new version is for whom the board is published to already, unless somebody says otherwise.
    if (present.length > 0) setRoles(present);
  };
  const publish = () => {
    if (source === null) return;
    publishing.mutate(
      { call: 'publish', body: { source_id: source, role_ids: roles, note: note || null }, successMessage: '已发布' },
      { onSuccess: onClose },
    );
  };
  return (
    <Modal
      open
      title="发布看板"
      okText="发布"
      okButtonProps={{ disabled: source === null || roles.length === 0 }}
      confirmLoading={publishing.isPending}
      onOk={publish}
      onCancel={onClose}
    >
      {error && <Alert type="error" showIcon title={error.message} />}
      <Form layout="vertical">
        <Form.Item
          label="看板"
          htmlFor="publish-board"
          extra="在“自助分析”里做好并保存的看板；发布的是它现在的样子，以后修改要重新发布"
        >
          <Select
            id="publish-board"
            value={source ?? undefined}
            options={data?.boards.map(({ source_id, title, board_id }) => ({
              value: source_id,
              label: board_id === null ? title : `${title}（已发布，将成为新版本）`,
            }))}
            onChange={choose}
          />
        </Form.Item>
        <Form.Item
          label="角色"
          htmlFor="publish-roles"
          extra="按各角色自己的数据范围显示；看不到其中数据集的角色不能选"
        >
          <Select
            id="publish-roles"
            mode="multiple"
            showSearch={{ optionFilterProp: 'label' }}
            value={roles}
            options={data?.roles.map(({ role_id, role_name }) => ({ value: role_id, label: role_name }))}
            onChange={setRoles}
          />
        </Form.Item>
        <Form.Item label="说明" htmlFor="publish-note">
          <Input id="publish-note" maxLength={200} value={note} onChange={(event) => setNote(event.target.value)} />
        </Form.Item>
      </Form>
    </Modal>
  );
}
