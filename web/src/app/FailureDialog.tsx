/** 全局错误弹窗: a message and the table of what failed and why. */
import { Button, Modal, Table } from 'antd';
import type { Failure, ReportedError } from '@/lib/errors';

const columns = [
  { title: '序号', dataIndex: 'index', width: 64, align: 'center' as const },
  { title: '单据号/序号', dataIndex: 'serial', width: 190 },
  { title: '失败原因', dataIndex: 'msg' },
];

interface Props {
  error: ReportedError;
  onClose: () => void;
}

export default function FailureDialog({ error, onClose }: Props) {
  return (
    <Modal
      open
      title="操作未全部成功"
      width={720}
      onCancel={onClose}
      footer={
        <Button type="primary" onClick={onClose} autoFocus>
          知道了
        </Button>
      }
    >
      <p role="alert">{error.msg}</p>
      <Table<Failure>
        size="small"
        bordered
        rowKey={(failure) => `${failure.index}-${failure.serial}`}
        columns={columns}
        dataSource={error.failures}
        pagination={error.failures.length > 50 ? { pageSize: 50 } : false}
        scroll={{ y: 360 }}
      />
    </Modal>
  );
}
