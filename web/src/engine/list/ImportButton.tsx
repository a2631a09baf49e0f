import { UploadOutlined } from '@ant-design/icons';
import { useMutation } from '@tanstack/react-query';
import { Alert, Button, Flex, Modal } from 'antd';
import { useRef, useState } from 'react';
import type { Imported, Preview } from '@/gen';
import { api } from '../../lib/api';
import { reportError, showMessage } from '../../lib/errors';
import { saveFile } from '../../lib/saveFile';
import { useRestoreFocus } from '../../lib/useRestoreFocus';
import { FileInput } from '../FileInput';
import type { Screen } from '../types';
import { PreviewPanel } from '../upload/PreviewPanel';
import { uploadSheet } from '../upload/uploadSheet';

interface ImportButtonProps {
  screen: Screen;
  /** Rows came in. */
  onDone: () => void;
}

/** 导入: records from a sheet, looked at before they are entered; failed rows come back as a file. */
export function ImportButton({ screen, onDone }: ImportButtonProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button icon={<UploadOutlined />} onClick={() => setOpen(true)}>
        导入
      </Button>
      {open && <ImportDialog screen={screen} onDone={onDone} onClose={() => setOpen(false)} />}
    </>
  );
}

function ImportDialog({ screen, onDone, onClose }: ImportButtonProps & { onClose: () => void }) {
  useRestoreFocus();
  const input = useRef<HTMLInputElement>(null);
  const [chosen, setChosen] = useState<{ file: File; preview: Preview } | null>(null);
  const look = useMutation({
    mutationFn: async (file: File) => ({
      file,
      preview: await sendSheet<Preview>(`${screen.api}/previewImport`, file),
    }),
    onSuccess: setChosen,
    onError: reportError,
  });
  const enter = useMutation({
    mutationFn: (file: File) => sendSheet<Imported>(`${screen.api}/import`, file),
    onSuccess: (result) => {
      onDone();
      // Rows that were refused are still to be fetched.
      if (result.refused > 0) return setChosen(null);
      showMessage('success', formatCounts(result));
      onClose();
    },
    onError: reportError,
  });
  const template = async () =>
    saveFile(await api.download(`${screen.api}/getImportTemplate`), `${screen.label}导入模板.xlsx`);
  return (
    <Modal open title={`导入${screen.label}`} width={720} footer={null} onCancel={onClose} mask={{ closable: false }}>
      <Flex vertical gap={12}>
        {chosen ? (
          <PreviewPanel
            fileName={chosen.file.name}
            preview={chosen.preview}
            sending={enter.isPending}
            onSend={() => enter.mutate(chosen.file)}
            onCancel={() => setChosen(null)}
          />
        ) : (
          <>
            <Flex gap={8}>
              <Button type="primary" loading={look.isPending} onClick={() => input.current?.click()}>
                选择文件
              </Button>
              <Button type="link" onClick={() => void template().catch(reportError)}>
                下载模板
              </Button>
            </Flex>
            {enter.data && <ImportResult label={screen.label} result={enter.data} />}
          </>
        )}
        <FileInput ref={input} label={`选择${screen.label}文件`} onFile={(file) => look.mutate(file)} />
      </Flex>
    </Modal>
  );
}

function ImportResult({ label, result }: { label: string; result: Imported }) {
  const failures = () => {
    const bytes = Uint8Array.from(atob(result.failures), (letter) => letter.charCodeAt(0));
    saveFile(new Blob([bytes]), `${label}导入失败明细.xlsx`);
  };
  return (
    <Alert
      type={result.refused > 0 ? 'warning' : 'success'}
      showIcon
      title={formatCounts(result)}
      action={
        result.failures && (
          <Button size="small" onClick={failures}>
            下载失败明细
          </Button>
        )
      }
    />
  );
}

function formatCounts({ added, changed, refused }: Imported): string {
  return `新增 ${added} 行，更新 ${changed} 行，失败 ${refused} 行`;
}

function sendSheet<T>(path: string, file: File): Promise<T> {
  const form = new FormData();
  form.append('excel', file);
  return uploadSheet<T>(path, form);
}
