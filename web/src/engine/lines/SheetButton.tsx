import { FileExcelOutlined } from '@ant-design/icons';
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { Button, Dropdown } from 'antd';
import { useRef, useState } from 'react';
import { api } from '../../lib/api';
import { reportError, showFailures, showMessage } from '../../lib/errors';
import { saveFile } from '../../lib/saveFile';
import { FileInput } from '../FileInput';
import { fetchForCurrentContext } from '../pickers/typedChoice';
import { uploadSheet } from '../upload/uploadSheet';
import type { Block, Pricing } from '../types';
import { buildGoodsQuery, suggestedPrice, type BillContext } from './billContext';
import { goodsField, isBlankLine } from './lineModel';
import type { LineStore } from './lineStore';
import { resolveCodes } from './resolveCodes';
import { listSheetCodes, buildSheetLines, listSheetProblems, type Sheet } from './sheetLines';

interface SheetButtonProps {
  store: LineStore;
  block: Block;
  pricing: Pricing | null;
  context: BillContext;
}

/** Lines from an Excel file: its template, and a filled one read into the form; what can't be taken is told row by row. */
export function SheetButton({ store, block, pricing, context }: SheetButtonProps) {
  const client = useQueryClient();
  const input = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const during = (work: Promise<void>) => {
    setBusy(true);
    store.track(work.catch(reportError).finally(() => setBusy(false)));
  };
  const items = [
    { key: 'template', label: '下载模板', onClick: () => during(saveTemplate(block, context)) },
    { key: 'read', label: '导入文件', onClick: () => input.current?.click() },
  ];
  return (
    <>
      <Dropdown menu={{ items }} trigger={['click']}>
        <Button icon={<FileExcelOutlined />} tabIndex={-1} loading={busy}>
          Excel导入
        </Button>
      </Dropdown>
      <FileInput
        ref={input}
        csv
        label={`导入${block.label}`}
        onFile={(file) => during(readSheet(client, file, { store, block, pricing, context }))}
      />
    </>
  );
}

async function saveTemplate(block: Block, context: BillContext): Promise<void> {
  const file = await api.download('v2/Open/LineSheet/getTemplate', { bill: context.bill, block: block.name });
  saveFile(file, `${block.label}模板.xlsx`);
}

function buildSheetRequest(file: File, block: Block, context: BillContext): FormData {
  const form = new FormData();
  form.append('bill', context.bill);
  form.append('block', block.name);
  form.append('header', JSON.stringify(context.header()));
  form.append('excel', file);
  return form;
}

async function readSheet(
  client: QueryClient,
  file: File,
  { store, block, pricing, context }: SheetButtonProps,
): Promise<void> {
  const goods = goodsField(block);
  const { sheet, found } = await fetchForCurrentContext(
    () => buildGoodsQuery(context),
    async (narrow) => {
      const sheet = await uploadSheet<Sheet>('v2/Open/LineSheet/read', buildSheetRequest(file, block, context));
      return { sheet, found: await resolveCodes(client, listSheetCodes(sheet, goods), narrow) };
    },
  );
  const added = buildSheetLines(sheet, { fields: store.fields, goods, pricing, found, priceOf: suggestedPrice });
  store.set((lines) => [...lines.filter((line) => !isBlankLine(store.fields, line)), ...added]);
  const problems = listSheetProblems(sheet, added, store.fields);
  if (problems.length === 0) {
    showMessage('success', `已导入${added.length}行`);
    return;
  }
  const failures = problems.map(({ row, label, msg }, at) => ({
    index: at + 1,
    serial: `第${row}行`,
    field: label,
    msg,
  }));
  showFailures(`已导入${added.length}行，${failures.length}处需要修改`, failures, added.length);
}
