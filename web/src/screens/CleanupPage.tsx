/** 数据清理: amounts by kind, a selection, a typed confirmation, and past cleanups. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Alert, App, Button, Flex, Input, InputNumber, Select, Space, Table, Typography, type TableProps } from 'antd';
import { useMemo, useState } from 'react';
import { confirmAct } from '@/engine/consequenceDialog';
import ListPage from '@/engine/list/ListPage';
import type { Screen } from '@/engine/types';
import type { CleanupPreview, KindRow } from '@/gen';
import { ALLOW_CLEAR } from '@/lib/clearOnDelete';
import { api } from '@/lib/api';
import { isCancelled, reportError, showMessage } from '@/lib/errors';
import { useQuery } from '@/lib/query';

interface CleanupRequest {
  days: number;
  months: number;
  company_id: number;
}

const TRIAL = 'trial';

function previewQuery(screen: Screen, request: CleanupRequest) {
  return {
    queryKey: [screen.name, 'preview', request],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      api.get<CleanupPreview>(`${screen.api}/getPreview`, { ...request }, { signal }),
    staleTime: 0,
  } as const;
}

export default function CleanupPage({ screen }: { screen: Screen }) {
  const [request, setAsked] = useState<CleanupRequest>({ days: 30, months: 12, company_id: 0 });
  const [chosen, setChosen] = useState<string[]>([]);
  const { modal } = App.useApp();
  const client = useQueryClient();
  const may = screen.actions.some(({ name }) => name === 'clear');
  const preview = useQuery({ ...previewQuery(screen, request), enabled: may });
  const list = useMemo(
    () => ({ ...screen, actions: screen.actions.filter(({ name }) => name === 'export') }),
    [screen],
  );
  const kinds = preview.data?.kinds ?? [];
  const wanted = kinds.filter(({ kind, allowed }) => allowed && chosen.includes(kind));

  const clear = useMutation({
    mutationFn: (confirm: string) =>
      api.post<{ label: string; count: number }[]>(`${screen.api}/clear`, {
        ...request,
        kinds: wanted.map(({ kind }) => kind),
        confirm,
      }),
    onSuccess: (done) => {
      setChosen([]);
      showMessage('success', `已清理：${done.map(({ label, count }) => `${label}${count}`).join('，')}`);
      void client.invalidateQueries({ queryKey: [screen.name] });
    },
    onError: reportError,
  });

  const ask = async () => {
    const words = preview.data?.confirmation ?? '';
    let typed = '';
    const agreed = await confirmAct(modal, {
      title: '数据清理',
      okText: '确认清理',
      danger: true,
      about: {
        effect: '删除下列内容',
        undo: '不能恢复，只能从备份取回',
        facts: wanted.map(({ label, count }) => ({ label, value: String(count) })),
        warnings: wanted.some(({ kind }) => kind === TRIAL) ? ['试用数据是该公司的全部单据和账簿'] : [],
      },
      content: (
        <>
          <p>{`请录入“${words}”：`}</p>
          <Input aria-label="确认文字" maxLength={20} onChange={(event) => (typed = event.target.value)} />
        </>
      ),
      missingReason: () => (typed.trim() === words ? null : `请录入“${words}”以确认`),
    });
    if (agreed) clear.mutate(typed.trim());
  };

  return (
    <Flex vertical gap={12}>
      {may && (
        <>
          <Space wrap>
            <span>早于</span>
            <WholeNumberInput
              label="天数"
              value={request.days}
              min={1}
              max={3650}
              onChange={(days) => setAsked({ ...request, days })}
            />
            <span>天的文件，早于</span>
            <WholeNumberInput
              label="月数"
              value={request.months}
              min={3}
              max={120}
              onChange={(months) => setAsked({ ...request, months })}
            />
            <span>个月的日志；试用数据的公司</span>
            <Select
              aria-label="公司"
              style={{ width: 260 }}
              allowClear={ALLOW_CLEAR}
              placeholder="尚未完成初始化的公司"
              value={request.company_id || undefined}
              onChange={(company_id?: number) => setAsked({ ...request, company_id: company_id ?? 0 })}
              options={preview.data?.companies.map((one) => ({
                value: one.company_id,
                label: `${one.company_name}（${one.state_name}）`,
              }))}
            />
            <Button type="primary" danger disabled={wanted.length === 0} onClick={() => void ask()}>
              清理
            </Button>
          </Space>
          {preview.error && !isCancelled(preview.error) && (
            <Alert type="error" showIcon title={preview.error.message} />
          )}
          <KindTable kinds={kinds} loading={preview.isLoading} chosen={chosen} onChoose={setChosen} />
        </>
      )}
      <Typography.Title level={5}>清理记录</Typography.Title>
      <ListPage screen={list} params={{}} />
    </Flex>
  );
}

interface WholeNumberInputProps {
  label: string;
  value: number;
  min: number;
  max: number;
  onChange: (value: number) => void;
}

function WholeNumberInput({ label, value, min, max, onChange }: WholeNumberInputProps) {
  return (
    <InputNumber
      aria-label={label}
      value={value}
      min={min}
      max={max}
      precision={0}
      onChange={(given) => onChange(given ?? min)}
    />
  );
}

interface KindTableProps {
  kinds: KindRow[];
  loading: boolean;
  chosen: string[];
  onChoose: (kinds: string[]) => void;
}

function KindTable({ kinds, loading, chosen, onChoose }: KindTableProps) {
  const columns: TableProps<KindRow>['columns'] = [
    { title: '内容', dataIndex: 'label', width: 180 },
    { title: '说明', dataIndex: 'note' },
    { title: '可清理数量', dataIndex: 'count', width: 120, align: 'right' },
  ];
  return (
    <Table
      size="small"
      rowKey="kind"
      columns={columns}
      dataSource={kinds}
      loading={loading}
      pagination={false}
      rowSelection={{
        selectedRowKeys: chosen,
        onChange: (keys) => onChoose(keys.map(String)),
        getCheckboxProps: ({ label, allowed, count }) => ({
          'aria-label': `选择${label}`,
          disabled: !allowed || count === 0,
        }),
      }}
    />
  );
}
