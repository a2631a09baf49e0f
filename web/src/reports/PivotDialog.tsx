/** 透视: rows, columns and figures of a cross table; it opens with the report's defaults. */
import { Alert, Form, Modal, Select, Spin } from 'antd';
import { useState } from 'react';
import type { PivotChoices } from '@/gen';
import { useQuery } from '@/lib/query';
import { pivotChoicesQuery, type PivotChoice } from './reportExport';

const MAX_FIELDS = { rows: 4, columns: 2, metrics: 6 };

interface Props {
  code: string;
  tab: string;
  grouping?: string;
  busy: boolean;
  onClose: () => void;
  onExport: (choice: PivotChoice) => void;
}

export default function PivotDialog({ code, tab, grouping, busy, onClose, onExport }: Props) {
  const { data, error } = useQuery(pivotChoicesQuery(code, tab, grouping));
  const [changed, setChanged] = useState<PivotChoice>({});
  const choice = { ...buildDefaultChoice(data), ...changed };
  const ready = data !== undefined && choice.rows.length > 0 && choice.metrics.length > 0;

  return (
    <Modal
      open
      title="导出透视表"
      okText="导出"
      cancelText="取消"
      okButtonProps={{ disabled: !ready, loading: busy }}
      onOk={() => onExport(choice)}
      onCancel={onClose}
    >
      {error && <Alert type="error" showIcon title={error.message} />}
      {data ? (
        <Form layout="vertical">
          <PivotSide
            label="行"
            name="rows"
            other={choice.columns}
            options={data.dimensions}
            value={choice.rows}
            onChange={setChanged}
          />
          <PivotSide
            label="列"
            name="columns"
            other={choice.rows}
            options={data.dimensions}
            value={choice.columns}
            onChange={setChanged}
          />
          <PivotSide
            label="指标"
            name="metrics"
            other={[]}
            options={data.measures}
            value={choice.metrics}
            onChange={setChanged}
          />
        </Form>
      ) : (
        !error && <Spin />
      )}
    </Modal>
  );
}

function buildDefaultChoice(data: PivotChoices | undefined): Required<PivotChoice> {
  return { rows: data?.rows ?? [], columns: data?.columns ?? [], metrics: data?.metrics ?? [] };
}

interface PivotSideProps {
  label: string;
  name: keyof PivotChoice;
  /** Fields chosen on the other side, which can't be chosen here. */
  other: string[];
  options: PivotChoices['dimensions'];
  value: string[];
  onChange: (change: (before: PivotChoice) => PivotChoice) => void;
}

function PivotSide({ label, name, other, options, value, onChange }: PivotSideProps) {
  return (
    <Form.Item label={`${label}（最多 ${MAX_FIELDS[name]} 个）`} htmlFor={`pivot-${name}`}>
      <Select
        id={`pivot-${name}`}
        mode="multiple"
        maxCount={MAX_FIELDS[name]}
        value={value}
        optionFilterProp="label"
        options={options.map((one) => ({ value: one.name, label: one.label, disabled: other.includes(one.name) }))}
        onChange={(chosen: string[]) => onChange((before) => ({ ...before, [name]: chosen }))}
      />
    </Form.Item>
  );
}
