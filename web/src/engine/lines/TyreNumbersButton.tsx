import { BarcodeOutlined } from '@ant-design/icons';
import { Button, Input, Modal } from 'antd';
import { useState } from 'react';
import { formatField } from '../fields/fieldValue';
import type { Field, Pricing } from '../types';
import { goodsField, typeCell } from './lineModel';
import type { LineStore } from './lineStore';

interface TyreNumbersButtonProps {
  store: LineStore;
  field: Field;
  pricing: Pricing | null;
  activeRow: () => number;
}

/** Numbers as they were scanned or pasted: blanks, line ends and commas stand between them; each once. */
export function parseTyreNumbers(text: string): string[] {
  return [
    ...new Set(
      text
        .normalize('NFKC')
        .toUpperCase()
        .split(/[\s,;、。]+/)
        .filter((part) => part !== ''),
    ),
  ];
}

/** Scans tyre numbers into a line, one after the other: a scanner ends each with Enter, which a cell would take for its own. */
export function TyreNumbersButton({ store, field, pricing, activeRow }: TyreNumbersButtonProps) {
  const [open, setOpen] = useState<{ row: number; text: string } | null>(null);
  const numbers = parseTyreNumbers(open?.text ?? '');
  const line = open ? store.get()[open.row] : undefined;
  const goods = goodsField({ name: '', label: '', fields: store.fields, required: true, source: null });
  const begin = () => {
    const row = store.ensureLine(Math.max(0, activeRow()));
    const stored = parseTyreNumbers(String(store.get()[row]?.values[field.name] ?? ''));
    setOpen({ row, text: stored.length > 0 ? `${stored.join('\n')}\n` : '' });
  };
  const keep = () => {
    if (!open) return;
    const quantity = store.fields.find((one) => one.name === (pricing?.quantity ?? 'quantity') && one.form);
    store.update(open.row, (before) => {
      const named = typeCell(before, field, numbers.join(' '), pricing).line;
      return quantity && numbers.length > 0 ? typeCell(named, quantity, String(numbers.length), pricing).line : named;
    });
    setOpen(null);
  };
  return (
    <>
      <Button icon={<BarcodeOutlined />} tabIndex={-1} onClick={begin}>
        录入{field.label}
      </Button>
      <Modal
        open={open !== null}
        title={`第${(open?.row ?? 0) + 1}行 ${goods && line ? formatField(goods, line.values) : ''} 共${numbers.length}个${field.label}`}
        okText="确定"
        cancelText="取消"
        destroyOnHidden
        onOk={keep}
        onCancel={() => setOpen(null)}
      >
        <Input.TextArea
          autoFocus
          rows={10}
          aria-label={field.label}
          placeholder="逐个扫码，或粘贴多个；用回车、空格或逗号隔开"
          value={open?.text ?? ''}
          onChange={(event) => setOpen((before) => before && { ...before, text: event.target.value })}
        />
      </Modal>
    </>
  );
}
