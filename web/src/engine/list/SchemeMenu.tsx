import { DeleteOutlined, FilterOutlined } from '@ant-design/icons';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button, Checkbox, Empty, Input, Popover, Space, Tag } from 'antd';
import { useState, type ReactNode } from 'react';
import { reportError, showMessage } from '../../lib/errors';
import { removePreference, savePreference, type Preference } from '../../lib/preferences';
import { useQuery } from '../../lib/query';
import { removeSlot, writeSlot } from '../../lib/localStorageSlot';
import styles from './SchemeMenu.module.css';
import { schemesQuery } from './schemes';

export interface SchemeMenuProps<T> {
  screen: string;
  /** Name of the schemes in the user interface. */
  label?: string;
  /** The present query. */
  readQuery: () => T | Promise<T>;
  onApply: (scheme: T) => void;
  /** Offers to let everybody use one. */
  canPublish?: boolean;
  size?: 'small';
  /** Additional inputs of the save dialog. */
  children?: ReactNode;
}

/** Saved queries of a list or report: choose one, save the present one, private or public, as the default or not. */
export function SchemeMenu<T>(props: SchemeMenuProps<T>) {
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
      <Button size={props.size} icon={<FilterOutlined />}>
        {props.label ?? '查询方案'}
      </Button>
    </Popover>
  );
}

function SchemePanel<T>({
  screen,
  label = '查询方案',
  readQuery: read,
  onApply,
  canPublish: publishable = true,
  children,
  onClose,
}: SchemeMenuProps<T> & { onClose: () => void }) {
  const client = useQueryClient();
  const { data: schemes = [] } = useQuery(schemesQuery<T>(screen));
  const [name, setName] = useState('');
  const [isPublic, setPublic] = useState(false);
  const [isDefault, setDefault] = useState(false);
  const again = () => client.invalidateQueries({ queryKey: ['schemes', screen] });

  const save = useMutation({
    mutationFn: async () => {
      const present = await read();
      await savePreference('scheme', screen, name.trim(), present, { is_public: isPublic, is_default: isDefault });
      return present;
    },
    onSuccess: (saved) => {
      if (isDefault) writeSlot(`scheme:${screen}`, saved);
      showMessage('success', `${label}已保存`);
      setName('');
      void again();
    },
    onError: reportError,
  });
  const remove = useMutation({
    mutationFn: (scheme: Preference<T>) => removePreference('scheme', screen, scheme.name),
    onSuccess: (_, scheme) => {
      if (scheme.is_default) removeSlot(`scheme:${screen}`);
      void again();
    },
    onError: reportError,
  });
  const apply = (scheme: Preference<T>) => {
    onApply(scheme.value);
    onClose();
  };

  return (
    <div className={styles.panel}>
      {schemes.length === 0 && <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={`还没有${label}`} />}
      {schemes.map((scheme) => (
        <div key={scheme.preference_id} className={styles.row}>
          <Button type="link" onClick={() => apply(scheme)}>
            {scheme.name}
          </Button>
          <span>
            {scheme.is_default && <Tag color="blue">默认</Tag>}
            {scheme.is_public && <Tag title={scheme.owner_name}>{scheme.mine ? '公开' : scheme.owner_name}</Tag>}
            {scheme.mine && (
              <Button
                type="text"
                icon={<DeleteOutlined />}
                aria-label={`删除${scheme.name}`}
                onClick={() => remove.mutate(scheme)}
              />
            )}
          </span>
        </div>
      ))}
      <div className={styles.save}>
        <Input
          value={name}
          maxLength={30}
          placeholder="把当前查询保存为…"
          aria-label="方案名称"
          onChange={(event) => setName(event.target.value)}
        />
        {children}
        <Space>
          {publishable && (
            <Checkbox checked={isPublic} onChange={(event) => setPublic(event.target.checked)}>
              公开
            </Checkbox>
          )}
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
