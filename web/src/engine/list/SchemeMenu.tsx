import { DeleteOutlined, FilterOutlined } from '@ant-design/icons';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button, Checkbox, Empty, Input, Popover, Space, Tag } from 'antd';
import { useState } from 'react';
import { reportError, showMessage } from '../../lib/errors';
import { removePreference, savePreference } from '../../lib/preferences';
import { useQuery } from '../../lib/query';
import { removeStored, writeStored } from '../../lib/stored';
import type { ListState } from './listState';
import { schemeOf, schemesQuery, type Scheme, type SchemeState } from './schemes';

export interface SchemeMenuProps {
  screen: string;
  state: ListState;
  onApply: (scheme: SchemeState) => void;
}

/** Saved queries of a list: choose one, save the present one, private or public, as the default or not. */
export function SchemeMenu(props: SchemeMenuProps) {
  const [open, setOpen] = useState(false);
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      trigger="click"
      placement="bottomRight"
      destroyOnHidden
      content={<SchemePanel {...props} onClose={() => setOpen(false)} />}
    >
      <Button icon={<FilterOutlined />}>查询方案</Button>
    </Popover>
  );
}

function SchemePanel({ screen, state, onApply, onClose }: SchemeMenuProps & { onClose: () => void }) {
  const client = useQueryClient();
  const { data: schemes = [] } = useQuery(schemesQuery(screen));
  const [name, setName] = useState('');
  const [isPublic, setPublic] = useState(false);
  const [isDefault, setDefault] = useState(false);
  const again = () => client.invalidateQueries({ queryKey: ['schemes', screen] });

  const save = useMutation({
    mutationFn: () => savePreference('scheme', screen, name.trim(), schemeOf(state), { is_public: isPublic, is_default: isDefault }),
    onSuccess: () => {
      if (isDefault) writeStored(`scheme:${screen}`, schemeOf(state));
      showMessage('success', '查询方案已保存');
      setName('');
      void again();
    },
    onError: reportError,
  });
  const remove = useMutation({
    mutationFn: (scheme: Scheme) => removePreference('scheme', screen, scheme.name),
    onSuccess: (_, scheme) => {
      if (scheme.is_default) removeStored(`scheme:${screen}`);
      void again();
    },
    onError: reportError,
  });
  const apply = (scheme: Scheme) => {
    onApply(scheme.value);
    onClose();
  };

  return (
    <div className="scheme-panel">
      {schemes.length === 0 && <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="还没有查询方案" />}
      {schemes.map((scheme) => (
        <div key={scheme.preference_id} className="scheme-row">
          <Button type="link" onClick={() => apply(scheme)}>
            {scheme.name}
          </Button>
          <span>
            {scheme.is_default && <Tag color="blue">默认</Tag>}
            {scheme.is_public && <Tag title={scheme.owner_name}>{scheme.mine ? '公开' : scheme.owner_name}</Tag>}
            {scheme.mine && (
              <Button type="text" icon={<DeleteOutlined />} aria-label={`删除${scheme.name}`} onClick={() => remove.mutate(scheme)} />
            )}
          </span>
        </div>
      ))}
      <div className="scheme-save">
        <Input value={name} maxLength={30} placeholder="把当前查询保存为…" aria-label="方案名称" onChange={(event) => setName(event.target.value)} />
        <Space>
          <Checkbox checked={isPublic} onChange={(event) => setPublic(event.target.checked)}>
            公开
          </Checkbox>
          <Checkbox checked={isDefault} onChange={(event) => setDefault(event.target.checked)}>
            设为默认
          </Checkbox>
          <Button type="primary" disabled={name.trim() === ''} loading={save.isPending} onClick={() => save.mutate()}>
            保存
          </Button>
        </Space>
      </div>
    </div>
  );
}
