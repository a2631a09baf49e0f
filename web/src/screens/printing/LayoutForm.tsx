import { Checkbox, Collapse, Form, Input, InputNumber, Radio, Select } from 'antd';
import type { PrintDefinition, PrintLayout } from '@/gen';
import { FieldOrderList } from './FieldOrderList';
import { Signatures } from './Signatures';

export type FullLayout = Required<PrintLayout> & { margin: Required<NonNullable<PrintLayout['margin']>> };

interface LayoutFormProps {
  definition: PrintDefinition;
  layout: FullLayout;
  onChange: (changes: Partial<FullLayout>) => void;
}

const SIDES = [
  ['top', '上'],
  ['right', '右'],
  ['bottom', '下'],
  ['left', '左'],
] as const;

/** Everything a template says, in the order it stands on the paper. */
export function LayoutForm(props: LayoutFormProps) {
  const { definition, layout, onChange } = props;
  const blocks = definition.blocks.map((block) => ({
    key: block.name,
    label: block.label,
    children: <BlockColumns {...props} block={block} />,
  }));
  return (
    <Collapse
      size="small"
      defaultActiveKey={['paper', ...definition.blocks.map((block) => block.name)]}
      items={[
        { key: 'paper', label: '纸张', children: <PaperForm {...props} /> },
        { key: 'heading', label: '表头', children: <HeadingForm {...props} /> },
        ...blocks,
        { key: 'sums', label: '合计', children: <SumsForm {...props} /> },
        {
          key: 'end',
          label: '签字和备注',
          children: (
            <Form layout="vertical" size="small">
              <Form.Item label="签字栏">
                <Signatures
                  fields={definition.fields}
                  value={layout.signatures}
                  onChange={(signatures) => onChange({ signatures })}
                />
              </Form.Item>
              <Form.Item label="固定备注">
                <Input.TextArea
                  rows={2}
                  maxLength={300}
                  value={layout.remark}
                  onChange={(event) => onChange({ remark: event.target.value })}
                />
              </Form.Item>
            </Form>
          ),
        },
      ]}
    />
  );
}

function PaperForm({ definition, layout, onChange }: LayoutFormProps) {
  const number = (name: 'width' | 'height' | 'font_size' | 'copies', label: string, min: number, max: number) => (
    <InputNumber
      size="small"
      aria-label={label}
      style={{ width: 72 }}
      min={min}
      max={max}
      value={layout[name]}
      onChange={(value) => value && onChange({ [name]: value })}
    />
  );
  const papers = definition.papers.map((paper) => ({ value: paper.value as FullLayout['paper'], label: paper.label }));
  return (
    <Form layout="horizontal" size="small" labelCol={{ span: 6 }} className="label-form">
      <Form.Item label="纸张">
        <Select aria-label="纸张" value={layout.paper} options={papers} onChange={(paper) => onChange({ paper })} />
      </Form.Item>
      {layout.paper === 'custom' && (
        <Form.Item label="宽×高(毫米)">
          {number('width', '纸宽', 40, 420)} × {number('height', '纸高', 40, 600)}
        </Form.Item>
      )}
      <Form.Item label="方向">
        <Radio.Group
          value={layout.landscape}
          onChange={(event) => onChange({ landscape: event.target.value as boolean })}
        >
          <Radio value={false}>原向</Radio>
          <Radio value={true}>转90°</Radio>
        </Radio.Group>
      </Form.Item>
      <Form.Item label="边距(毫米)">
        {SIDES.map(([side, label]) => (
          <InputNumber
            key={side}
            size="small"
            aria-label={`${label}边距`}
            prefix={label}
            style={{ width: 62, marginRight: 4 }}
            controls={false}
            min={0}
            max={60}
            value={layout.margin[side]}
            onChange={(value) => onChange({ margin: { ...layout.margin, [side]: value ?? 0 } })}
          />
        ))}
      </Form.Item>
      <Form.Item label="字号(磅)">{number('font_size', '字号', 6, 16)}</Form.Item>
      <Form.Item label="份数">{number('copies', '份数', 1, 9)}</Form.Item>
    </Form>
  );
}

function HeadingForm({ definition, layout, onChange }: LayoutFormProps) {
  return (
    <Form layout="horizontal" size="small" labelCol={{ span: 6 }} className="label-form">
      <Form.Item label="公司行">
        <Input
          maxLength={40}
          placeholder="单据的公司"
          value={layout.company}
          onChange={(event) => onChange({ company: event.target.value })}
        />
      </Form.Item>
      <Form.Item label="标题">
        <Input
          maxLength={40}
          placeholder={definition.label}
          value={layout.title}
          onChange={(event) => onChange({ title: event.target.value })}
        />
      </Form.Item>
      <Form.Item label="每行字段">
        <InputNumber
          min={1}
          max={5}
          value={layout.heading_columns}
          onChange={(value) => onChange({ heading_columns: value ?? 3 })}
        />
      </Form.Item>
      <Form.Item wrapperCol={{ offset: 6 }}>
        <Checkbox checked={layout.logo} onChange={(event) => onChange({ logo: event.target.checked })}>
          打印集团标志
        </Checkbox>
      </Form.Item>
      <Form.Item wrapperCol={{ offset: 6 }}>
        <Checkbox checked={layout.heading_each} onChange={(event) => onChange({ heading_each: event.target.checked })}>
          每页都打印表头
        </Checkbox>
      </Form.Item>
      <FieldOrderList
        choices={definition.fields}
        chosen={layout.heading}
        onChange={(heading) => onChange({ heading })}
      />
    </Form>
  );
}

function BlockColumns({ block, layout, onChange }: LayoutFormProps & { block: PrintDefinition['blocks'][number] }) {
  const columns = layout.columns[block.name] ?? [];
  const usual = new Map(block.fields.map((field) => [field.name, field.width]));
  const set = (next: typeof columns) => onChange({ columns: { ...layout.columns, [block.name]: next } });
  return (
    <FieldOrderList
      choices={block.fields}
      chosen={columns.map((column) => column.name)}
      widths={Object.fromEntries(columns.map((column) => [column.name, column.width ?? 20]))}
      onChange={(names) =>
        set(
          names.map(
            (name) =>
              columns.find((column) => column.name === name) ?? { name, width: usual.get(name) ?? 20, label: '' },
          ),
        )
      }
      onWidth={(name, width) => set(columns.map((column) => (column.name === name ? { ...column, width } : column)))}
    />
  );
}

function SumsForm({ layout, onChange }: LayoutFormProps) {
  const flags: [keyof FullLayout & ('prices' | 'skip_empty' | 'subtotals' | 'totals' | 'capitals'), string][] = [
    ['prices', '打印价格和金额'],
    ['skip_empty', '不打印空的字段和列'],
    ['subtotals', '本页小计（多于一页时）'],
    ['totals', '合计行'],
    ['capitals', '大写金额'],
  ];
  return flags.map(([name, label]) => (
    <div key={name}>
      <Checkbox checked={layout[name]} onChange={(event) => onChange({ [name]: event.target.checked })}>
        {label}
      </Checkbox>
    </div>
  ));
}
