import { Button, Modal, Result } from 'antd';
import { useRef, useState } from 'react';
import { isCancelled } from '../../lib/errors';
import { useQuery } from '../../lib/query';
import { usePageShortcut } from '../../lib/pageShortcuts';
import { useRestoreFocus } from '../../lib/useRestoreFocus';
import { formQuery } from '../queries';
import { ScreenLoading } from '../ScreenLoading';
import type { Row, Screen } from '../types';
import { createForm, buildNewValues } from './formModel';
import { HeaderFields } from './HeaderFields';
import { useSave } from './useSave';

interface RecordDialogProps {
  screen: Screen;
  /** The record to change, or null for a new one. */
  id: number | null;
  onClose: () => void;
}

const WIDTH = 820;

/** Adds or changes a record of a screen that has no page for it, over its list. */
export default function RecordDialog({ screen, id, onClose }: RecordDialogProps) {
  useRestoreFocus();
  const stored = useQuery({ ...formQuery(screen, id ?? 0, false), enabled: id !== null });
  const title = `${id === null ? '新增' : '修改'}${screen.label}`;
  if (id === null || stored.data) {
    return (
      <RecordForm
        screen={screen}
        id={id}
        title={title}
        initial={stored.data ?? buildNewValues(screen)}
        onClose={onClose}
      />
    );
  }
  return (
    <Modal open title={title} width={WIDTH} footer={null} onCancel={onClose}>
      {stored.error && !isCancelled(stored.error) ? (
        <Result
          status="warning"
          title="加载失败"
          subTitle={stored.error.message}
          extra={<Button onClick={() => void stored.refetch()}>重试</Button>}
        />
      ) : (
        <ScreenLoading />
      )}
    </Modal>
  );
}

function RecordForm({ screen, id, title, initial, onClose }: RecordDialogProps & { title: string; initial: Row }) {
  const [form] = useState(() => createForm(screen, initial));
  const { save, saving } = useSave(screen, form, id);
  const body = useRef<HTMLDivElement>(null);
  const submit = async () => {
    if ((await save()) !== null) onClose();
  };
  usePageShortcut('save', true, () => void submit(), true);
  // The dialog is open after a moment: who is in a field by then stays there.
  const enter = () => {
    const fields = body.current;
    if (fields && !fields.contains(document.activeElement)) fields.querySelector('input')?.focus();
  };
  return (
    <Modal
      open
      title={title}
      width={WIDTH}
      okText="保存"
      cancelText="取消"
      confirmLoading={saving}
      mask={{ closable: false }}
      afterOpenChange={(open) => open && enter()}
      onOk={() => void submit()}
      onCancel={onClose}
    >
      <div ref={body} className="form-page record-dialog">
        <HeaderFields screen={screen} form={form} />
      </div>
    </Modal>
  );
}
