/** 打印模板: the layout on the left, the preview of a real bill on the right, as the server renders it. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button, Checkbox, Flex, Form, Input, Result, Select, Space } from 'antd';
import { useMemo, useState } from 'react';
import { QueryFallback } from '@/engine/QueryFallback';
import { RefSelect } from '@/engine/fields/RefSelect';
import { findUniqueMatch, isSameText } from '@/engine/pickers/typedChoice';
import { useEnter, usePickerSearch } from '@/engine/pickers/useEnter';
import { PrintFrame } from '@/engine/print/PrintFrame';
import { DEFAULT_TEMPLATE } from '@/engine/print/printCalls';
import { findAction, findRefField, type ListAnswer, type Screen } from '@/engine/types';
import type { PrintDefinition } from '@/gen';
import { ALLOW_CLEAR } from '@/lib/clearOnDelete';
import { api } from '@/lib/api';
import { isCancelled, reportError, showMessage } from '@/lib/errors';
import { useQuery } from '@/lib/query';
import { useTabs } from '@/lib/tabs';
import { useDebounced } from '@/lib/useDebounced';
import { LayoutForm, type FullLayout } from './LayoutForm';
import { definitionQuery, previewQuery, printSetup } from './setupCalls';

const SHOWN_BILLS = 30;

interface DesignProps {
  screen: Screen;
  params: Record<string, string>;
}

export default function PrintDesignPage({ screen, params }: DesignProps) {
  const { bill_type: billType, template = String(DEFAULT_TEMPLATE) } = params;
  if (billType) return <TemplateLoader screen={screen} billType={billType} template={Number(template)} />;
  return <NoBill screen={screen} />;
}

function NoBill({ screen }: { screen: Screen }) {
  const tabs = useTabs();
  const choose = () => tabs.open(screen.routes.list, screen.label, { keepAlive: true });
  return (
    <Result
      status="info"
      title="请选择要设计的单据"
      extra={
        <Button type="primary" onClick={choose}>
          去{screen.label}
        </Button>
      }
    />
  );
}

function TemplateLoader({ screen, billType, template }: { screen: Screen; billType: string; template: number }) {
  const read = useQuery(definitionQuery(billType, template));
  if (!read.data) return <QueryFallback title="打印模板加载失败" queries={[read]} />;
  return <TemplateEditor screen={screen} definition={read.data} />;
}

function TemplateEditor({ screen, definition }: { screen: Screen; definition: PrintDefinition }) {
  const tabs = useTabs();
  const client = useQueryClient();
  const isNew = definition.print_template_id === DEFAULT_TEMPLATE;
  const [layout, setLayout] = useState(definition.layout as FullLayout);
  const [name, setName] = useState(definition.template_name || `${definition.label}模板`);
  const [company, setCompany] = useState(definition.company_id);
  const [isDefault, setDefault] = useState(isNew || definition.is_default);
  const [bill, setBill] = useState<number | null>(null);
  const trial = useMemo(
    () => ({ bill_type: definition.bill_type, layout, id: bill }),
    [definition.bill_type, layout, bill],
  );
  const preview = useQuery(previewQuery(useDebounced(trial)));
  const saving = useMutation({
    mutationFn: () =>
      printSetup.save({
        print_template_id: isNew ? null : definition.print_template_id,
        bill_type: definition.bill_type,
        company_id: company,
        template_name: name.trim(),
        is_default: isDefault,
        layout,
      }),
    onSuccess: () => {
      showMessage('success', '保存成功');
      void client.invalidateQueries({ queryKey: ['print_template'] });
      tabs.open(screen.routes.list, screen.label, { keepAlive: true });
    },
    onError: reportError,
  });
  const save = () => (name.trim() ? saving.mutate() : showMessage('warning', '请输入模板名称'));
  const maySave = definition.editable && findAction(screen, 'setup') !== undefined;
  return (
    <Flex vertical gap={12}>
      <Flex justify="space-between" gap={12} wrap>
        <Space wrap>
          <Input
            aria-label="模板名称"
            maxLength={40}
            style={{ width: 220 }}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
          <CompanySelect screen={screen} value={company} name={definition.company_name} onChange={setCompany} />
          <Checkbox checked={isDefault} onChange={(event) => setDefault(event.target.checked)}>
            默认
          </Checkbox>
        </Space>
        <Space wrap>
          <BillSelect definition={definition} value={bill} onChange={setBill} />
          <Button onClick={() => setLayout(definition.layout as FullLayout)}>重来</Button>
          {maySave && (
            <Button type="primary" loading={saving.isPending} onClick={save}>
              保存
            </Button>
          )}
        </Space>
      </Flex>
      <div className="print-design">
        <div className="print-design-form">
          <LayoutForm
            definition={definition}
            layout={layout}
            onChange={(changes) => setLayout((now) => ({ ...now, ...changes }))}
          />
        </div>
        <PrintFrame
          html={preview.data?.html}
          loading={preview.isFetching}
          error={isCancelled(preview.error) ? null : preview.error}
        />
      </div>
    </Flex>
  );
}

interface CompanySelectProps {
  screen: Screen;
  value: number | null;
  name: string | null;
  onChange: (id: number | null) => void;
}

/** Company of the template; the whole group if empty. */
function CompanySelect({ screen, value, name, onChange }: CompanySelectProps) {
  const [label, setLabel] = useState(name);
  const field = findRefField(screen, 'company_id');
  if (!field) return null;
  return (
    <Form.Item noStyle>
      <div style={{ width: 220 }}>
        <RefSelect
          field={{ ...field, label: '公司（不选为集团）' }}
          value={value}
          label={label}
          onChange={(id, chosen) => {
            setLabel(chosen);
            onChange(typeof id === 'number' ? id : null);
          }}
        />
      </div>
    </Form.Item>
  );
}

/** The bill to try the template on. */
function BillSelect({
  definition,
  value,
  onChange,
}: {
  definition: PrintDefinition;
  value: number | null;
  onChange: (id: number | null) => void;
}) {
  const [open, setOpen] = useState(false);
  const search = usePickerSearch();
  const { typed } = search;
  const billsQuery = (words: string) => ({
    queryKey: [definition.bill_type, 'to_print', words],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      api.get<ListAnswer<BillReference>>(
        `${definition.api}/getList`,
        { keyword: words, per_page: SHOWN_BILLS, totals: 0 },
        { signal },
      ),
    meta: { quiet: true },
  });
  const found = useQuery({ ...billsQuery(typed), enabled: search.settled });
  const answered = search.settled && found.data !== undefined;
  const rows = answered ? found.data!.data : [];
  const client = useQueryClient();
  const close = () => {
    setOpen(false);
    search.type('');
  };
  const enter = useEnter({
    open,
    rows,
    answered,
    typed,
    label: '单据',
    narrow: {},
    ask: async (words) => (await client.fetchQuery(billsQuery(words))).data,
    pick: (some, words) => findUniqueMatch(some, [(row) => isSameText(row.bill_no, words)]),
    onTake: (row) => {
      close();
      onChange(row.bill_id);
    },
    onWait: search.flush,
    onLeave: close,
    onMarked: () => undefined,
  });
  return (
    <div className="picker" onKeyDownCapture={enter.onKey}>
      <Select
        aria-label="预览的单据"
        style={{ width: 220 }}
        placeholder="用最新的单据预览"
        allowClear={ALLOW_CLEAR}
        showSearch={{
          filterOption: false,
          searchValue: search.text,
          onSearch: (text) => {
            enter.giveUp();
            search.type(text);
          },
        }}
        open={open}
        onOpenChange={setOpen}
        value={value}
        options={rows.map((row) => ({ value: row.bill_id, label: row.bill_no }))}
        onChange={(id: number | undefined) => {
          enter.giveUp();
          onChange(id ?? null);
        }}
      />
    </div>
  );
}

interface BillReference {
  bill_id: number;
  bill_no: string;
}
