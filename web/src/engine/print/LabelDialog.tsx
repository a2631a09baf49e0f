import { FilePdfOutlined, PrinterOutlined } from '@ant-design/icons';
import { useMutation } from '@tanstack/react-query';
import { AutoComplete, Button, Checkbox, Flex, Form, Input, InputNumber, Modal, Radio, Space, Table } from 'antd';
import { useMemo, useRef, useState } from 'react';
import type { LabelLayout } from '@/gen';
import { isCancelled, reportError } from '../../lib/errors';
import { useQuery } from '../../lib/query';
import { readSlot, writeSlot } from '../../lib/localStorageSlot';
import { useDebounced } from '../../lib/useDebounced';
import { useRestoreFocus } from '../../lib/useRestoreFocus';
import { PrintFrame, type PrintHandle } from './PrintFrame';
import type { LabelCount } from './labelCounts';
import { printedLabelsQuery, saveLabels } from './printCalls';

const LAYOUT_SLOT = 'label_layout';
const LABEL_SIZES = ['60×40', '50×30', '40×30', '70×50', '100×60'];
const DEFAULT_LAYOUT = {
  width: 60,
  height: 40,
  font_size: 9,
  code: 'code128',
  holds: 'barcode',
  brand: true,
  specification: true,
  unit: false,
  company: '',
} as const;

type StoredLayout = Required<Omit<LabelLayout, 'margin'>>;

/** Barcode or QR labels: how many of each goods, what stands on them, and how they will look. */
export default function LabelDialog({ pieces, onClose }: { pieces: LabelCount[]; onClose: () => void }) {
  useRestoreFocus();
  const [rows, setRows] = useState(pieces);
  const [layout, setLayout] = useState<StoredLayout>(() => ({
    ...DEFAULT_LAYOUT,
    ...readSlot<Partial<StoredLayout>>(LAYOUT_SLOT),
  }));
  const paper = useRef<PrintHandle>(null);
  const labels = useMemo(() => {
    const items = rows.filter((row) => row.copies > 0).map(({ goods_id, copies }) => ({ goods_id, copies }));
    return { items, layout };
  }, [rows, layout]);
  const { data, error, isFetching } = useQuery(printedLabelsQuery(useDebounced(labels)));
  const saving = useMutation({ mutationFn: () => saveLabels(labels), onError: reportError });
  const change = (changes: Partial<StoredLayout>) => {
    const next = { ...layout, ...changes };
    setLayout(next);
    writeSlot(LAYOUT_SLOT, next);
  };
  const setCopies = (goods_id: number, copies: number) =>
    setRows((all) => all.map((row) => (row.goods_id === goods_id ? { ...row, copies } : row)));
  const many = rows.reduce((sum, row) => sum + row.copies, 0);
  const whole = data !== undefined && data.shown === data.pages;
  return (
    <Modal open title="打印商品标签" width={1000} centered footer={null} onCancel={onClose} destroyOnHidden>
      <Flex gap={16}>
        <Flex vertical gap={12} style={{ width: 420 }}>
          <Table
            size="small"
            rowKey="goods_id"
            dataSource={rows}
            pagination={false}
            scroll={{ y: 220 }}
            columns={[
              { title: '商品', dataIndex: 'name', ellipsis: true },
              {
                title: '张数',
                width: 100,
                render: (_, row) => (
                  <InputNumber
                    size="small"
                    aria-label={`${row.name}张数`}
                    min={0}
                    max={2000}
                    precision={0}
                    value={row.copies}
                    onChange={(copies) => setCopies(row.goods_id, copies ?? 0)}
                  />
                ),
              },
            ]}
          />
          <LabelForm layout={layout} onChange={change} />
          <Space>
            <Button
              type="primary"
              icon={<PrinterOutlined />}
              disabled={!whole && !isFetching}
              onClick={() => paper.current?.print()}
            >
              打印
            </Button>
            <Button
              icon={<FilePdfOutlined />}
              loading={saving.isPending}
              disabled={many === 0}
              onClick={() => saving.mutate()}
            >
              下载PDF
            </Button>
            <span role="status">
              共 {many} 张{data && !whole && `；预览前 ${data.shown} 张，全部请用 PDF`}
            </span>
          </Space>
        </Flex>
        <PrintFrame
          ref={paper}
          html={data?.html}
          isComplete={whole}
          loading={isFetching}
          error={isCancelled(error) ? null : error}
        />
      </Flex>
    </Modal>
  );
}

function LabelForm({ layout, onChange }: { layout: StoredLayout; onChange: (changes: Partial<StoredLayout>) => void }) {
  const size = `${layout.width}×${layout.height}`;
  const resize = (text: string) => {
    const [, width, height] = /^\s*(\d+)\s*[×xX*]\s*(\d+)\s*$/.exec(text) ?? [];
    if (width && height) onChange({ width: Number(width), height: Number(height) });
  };
  return (
    <Form layout="horizontal" size="small" labelCol={{ span: 5 }} className="label-form">
      <Form.Item label="尺寸(毫米)">
        <AutoComplete
          aria-label="标签尺寸"
          defaultValue={size}
          options={LABEL_SIZES.map((value) => ({ value }))}
          onChange={resize}
        />
      </Form.Item>
      <Form.Item label="字号">
        <InputNumber
          aria-label="字号"
          min={5}
          max={20}
          value={layout.font_size}
          onChange={(font_size) => onChange({ font_size: font_size ?? 9 })}
        />
      </Form.Item>
      <Form.Item label="码">
        <Radio.Group
          value={layout.code}
          onChange={(event) => onChange({ code: event.target.value as StoredLayout['code'] })}
        >
          <Radio value="code128">条形码</Radio>
          <Radio value="qr">二维码</Radio>
        </Radio.Group>
      </Form.Item>
      <Form.Item label="内容">
        <Radio.Group
          value={layout.holds}
          onChange={(event) => onChange({ holds: event.target.value as StoredLayout['holds'] })}
        >
          <Radio value="barcode">商品条码</Radio>
          <Radio value="goods_num">商品编码</Radio>
        </Radio.Group>
      </Form.Item>
      <Form.Item label="显示">
        <Checkbox checked={layout.brand} onChange={(event) => onChange({ brand: event.target.checked })}>
          品牌
        </Checkbox>
        <Checkbox
          checked={layout.specification}
          onChange={(event) => onChange({ specification: event.target.checked })}
        >
          规格花纹
        </Checkbox>
        <Checkbox checked={layout.unit} onChange={(event) => onChange({ unit: event.target.checked })}>
          单位
        </Checkbox>
      </Form.Item>
      <Form.Item label="抬头">
        <Input
          aria-label="标签抬头"
          maxLength={40}
          value={layout.company}
          onChange={(event) => onChange({ company: event.target.value })}
        />
      </Form.Item>
    </Form>
  );
}
