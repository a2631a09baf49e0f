import { FilePdfOutlined, PrinterOutlined } from '@ant-design/icons';
import { useMutation } from '@tanstack/react-query';
import { Button, Flex, Modal, Select, Space } from 'antd';
import { useRef, useState } from 'react';
import { clearOnDelete, ALLOW_CLEAR } from '../../lib/clearOnDelete';
import { isCancelled, reportError, showMessage } from '../../lib/errors';
import { useQuery } from '../../lib/query';
import { useRestoreFocus } from '../../lib/useRestoreFocus';
import { EXPORT_STARTED } from '../list/useExport';
import type { Screen } from '../types';
import { PrintFrame, type PrintHandle } from './PrintFrame';
import { printedBillsQuery, requiresTask, queuePrintTask, saveBills } from './printCalls';

interface PrintDialogProps {
  screen: Screen;
  ids: number[];
  onClose: () => void;
}

/** Bills as they will be on paper: choose the template, print, or keep the PDF. */
export default function PrintDialog({ screen, ids, onClose }: PrintDialogProps) {
  useRestoreFocus();
  const [template, setTemplate] = useState<number | null>(null);
  const paper = useRef<PrintHandle>(null);
  const bills = { ids, print_template_id: template };
  const { data, error, isFetching } = useQuery(printedBillsQuery(screen, bills));
  const saving = useMutation({ mutationFn: () => saveBills(screen, bills, screen.label), onError: reportError });
  const queueing = useMutation({
    mutationFn: () => queuePrintTask(screen, bills),
    onSuccess: () => {
      showMessage('success', EXPORT_STARTED);
      onClose();
    },
    onError: reportError,
  });
  const whole = data !== undefined && data.shown === data.pages;
  const templates = (data?.templates ?? []).map((one) => ({ value: one.print_template_id, label: one.template_name }));
  return (
    <Modal open title={`打印${screen.label}`} width={1040} centered footer={null} onCancel={onClose} destroyOnHidden>
      <Flex justify="space-between" align="center" gap={8} wrap>
        <Space wrap>
          <Select
            aria-label="打印模板"
            style={{ width: 240 }}
            allowClear={ALLOW_CLEAR}
            onKeyDown={clearOnDelete(() => setTemplate(null))}
            placeholder="按公司的默认模板"
            value={template}
            options={templates}
            onChange={(chosen: number | undefined) => setTemplate(chosen ?? null)}
          />
          {data && (
            <span role="status">
              {ids.length} 张单据，{data.pages} 页{!whole && `；预览前 ${data.shown} 页，全部请用 PDF`}
            </span>
          )}
        </Space>
        <Space>
          {requiresTask(error) ? (
            <Button icon={<FilePdfOutlined />} loading={queueing.isPending} onClick={() => queueing.mutate()}>
              后台生成PDF
            </Button>
          ) : (
            <Button
              icon={<FilePdfOutlined />}
              loading={saving.isPending}
              disabled={!data}
              onClick={() => saving.mutate()}
            >
              下载PDF
            </Button>
          )}
          <Button
            data-begins
            type="primary"
            icon={<PrinterOutlined />}
            disabled={!whole && !isFetching}
            onClick={() => paper.current?.print()}
          >
            打印
          </Button>
        </Space>
      </Flex>
      <PrintFrame
        ref={paper}
        html={data?.html}
        isComplete={whole}
        loading={isFetching}
        error={isCancelled(error) ? null : error}
      />
    </Modal>
  );
}
