/** 全局错误弹窗: a message and the table of what failed and why. */
import { useMutation } from '@tanstack/react-query';
import { Button, Modal, Table } from 'antd';
import { api } from '@/lib/api';
import { reportError, type Failure, type ReportedError } from '@/lib/errors';
import { saveFile } from '@/lib/saveFile';
import { useRestoreFocus } from '@/lib/useRestoreFocus';

const INDEX_COLUMN = { title: '序号', dataIndex: 'index', width: 64, align: 'center' as const };
const SERIAL_COLUMN = { title: '单据号/序号', dataIndex: 'serial', width: 190 };
const FIELD_COLUMN = { title: '字段', dataIndex: 'field', width: 120 };
const REASON_COLUMN = { title: '失败原因', dataIndex: 'msg' };

interface Props {
  error: ReportedError;
  onClose: () => void;
}

export default function FailureDialog({ error, onClose }: Props) {
  useRestoreFocus();
  const ofCells = error.failures.some((failure) => failure.field);
  const file = useMutation({
    mutationFn: () => api.download('v2/Open/LineSheet/getFailures', {}, { failures: error.failures }),
    onSuccess: (found) => saveFile(found, '失败明细.xlsx'),
    onError: reportError,
  });
  return (
    <Modal
      open
      title={error.noneSucceeded ? '操作失败' : '操作未全部成功'}
      width={720}
      onCancel={onClose}
      footer={
        <>
          <Button loading={file.isPending} onClick={() => file.mutate()}>
            下载失败明细
          </Button>
          <Button type="primary" onClick={onClose} autoFocus>
            知道了
          </Button>
        </>
      }
    >
      <p role="alert">{error.msg}</p>
      <Table<Failure>
        size="small"
        bordered
        rowKey={(failure) => `${failure.index}-${failure.serial}`}
        columns={
          ofCells
            ? [INDEX_COLUMN, SERIAL_COLUMN, FIELD_COLUMN, REASON_COLUMN]
            : [INDEX_COLUMN, SERIAL_COLUMN, REASON_COLUMN]
        }
        dataSource={error.failures}
        pagination={error.failures.length > 50 ? { pageSize: 50 } : false}
        scroll={{ y: 360 }}
      />
    </Modal>
  );
}
