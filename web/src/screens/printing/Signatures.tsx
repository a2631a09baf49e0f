import { DeleteOutlined, PlusOutlined } from '@ant-design/icons';
import { Button, Input, Select, Space } from 'antd';
import type { PrintChoice, PrintSignature } from '@/gen';

interface SignaturesProps {
  fields: PrintChoice[];
  value: PrintSignature[];
  onChange: (value: PrintSignature[]) => void;
}

const MAX_SIGNATURES = 8;

/** Places to sign: a word, and a field of the bill that is printed there, or nothing. */
export function Signatures({ fields, value, onChange }: SignaturesProps) {
  const set = (index: number, changes: Partial<PrintSignature>) =>
    onChange(value.map((one, at) => (at === index ? { ...one, ...changes } : one)));
  const options = [
    { value: '', label: '空白，手签' },
    ...fields.filter((field) => !field.is_number).map((field) => ({ value: field.name, label: field.label })),
  ];
  return (
    <>
      {value.map((one, index) => (
        <Space.Compact key={index} block style={{ marginBottom: 4 }}>
          <Input
            aria-label="签字栏名称"
            maxLength={40}
            value={one.label}
            onChange={(event) => set(index, { label: event.target.value })}
          />
          <Select
            aria-label="签字栏内容"
            style={{ width: '100%' }}
            value={one.name ?? ''}
            options={options}
            onChange={(name) => set(index, { name })}
          />
          <Button
            icon={<DeleteOutlined />}
            aria-label="删除签字栏"
            onClick={() => onChange(value.filter((_, at) => at !== index))}
          />
        </Space.Compact>
      ))}
      <Button
        size="small"
        icon={<PlusOutlined />}
        disabled={value.length >= MAX_SIGNATURES}
        onClick={() => onChange([...value, { label: '签收', name: '' }])}
      >
        增加签字栏
      </Button>
    </>
  );
}
