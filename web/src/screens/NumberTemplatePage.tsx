/** 单据编号: each bill type with an example of its numbers; the parts are chosen in a dialog that shows what they make. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import {
  Alert,
  Button,
  Flex,
  Form,
  Input,
  InputNumber,
  Modal,
  Select,
  Switch,
  Table,
  Typography,
  type TableProps,
} from 'antd';
import { useState } from 'react';
import type { Screen } from '@/engine/types';
import type { NumberExample, TemplateAnswer } from '@/gen';
import { api } from '@/lib/api';
import { isCancelled, reportError, showMessage } from '@/lib/errors';
import { useQuery } from '@/lib/query';
import { useDebounced } from '@/lib/useDebounced';

const DATE_FORMS = ['yyyyMMdd', 'yyMMdd', 'yyyyMM', '不含日期'];
const RESET_LABELS = ['按日', '按月', '按年', '不重置'];
const buildOptions = (labels: string[]) => labels.map((label, at) => ({ value: at + 1, label }));

export default function NumberTemplatePage({ screen }: { screen: Screen }) {
  const [chosen, setChosen] = useState<TemplateAnswer | null>(null);
  const list = useQuery({
    queryKey: [screen.name, 'types'],
    queryFn: ({ signal }) => api.get<TemplateAnswer[]>(`${screen.api}/billTypeList`, {}, { signal }),
  });
  const may = screen.actions.some((action) => action.name === 'save');
  return (
    <Flex vertical gap={12}>
      <Typography.Text type="secondary">修改后从下一张单据起生效；已有的单据号不变，也不会再次使用。</Typography.Text>
      <Table<TemplateAnswer>
        bordered
        size="small"
        rowKey="bill_type"
        loading={list.isFetching}
        dataSource={list.data ?? []}
        columns={buildColumns(may ? setChosen : null)}
        pagination={false}
        scroll={{ y: 'calc(100vh - 190px)' }}
      />
      {chosen && <TemplateDialog screen={screen} template={chosen} onClose={() => setChosen(null)} />}
    </Flex>
  );
}

function buildColumns(onChoose: ((row: TemplateAnswer) => void) | null): TableProps<TemplateAnswer>['columns'] {
  return [
    { dataIndex: 'bill_name', title: '单据名称', width: 180 },
    { dataIndex: 'prefix', title: '前缀', width: 100 },
    { dataIndex: 'with_company', title: '含公司编码', width: 110, render: (value: boolean) => (value ? '是' : '否') },
    { dataIndex: 'date_form', title: '日期格式', width: 110, render: (value: number) => DATE_FORMS[value - 1] },
    { dataIndex: 'digits', title: '流水号位数', width: 110, align: 'right' },
    { dataIndex: 'reset', title: '重新编号', width: 110, render: (value: number) => RESET_LABELS[value - 1] },
    { dataIndex: 'example', title: '示例', width: 220 },
    ...(onChoose
      ? [
          {
            key: 'act',
            title: '操作',
            width: 80,
            render: (_: unknown, row: TemplateAnswer) => (
              <Button type="link" size="small" onClick={() => onChoose(row)}>
                设置
              </Button>
            ),
          },
        ]
      : []),
  ];
}

function TemplateDialog({
  screen,
  template,
  onClose,
}: {
  screen: Screen;
  template: TemplateAnswer;
  onClose: () => void;
}) {
  const [draft, setAsked] = useState(template);
  const debounced = useDebounced(draft);
  const client = useQueryClient();
  const preview = useQuery({
    queryKey: [screen.name, 'preview', debounced],
    queryFn: () => api.post<NumberExample>(`${screen.api}/preview`, debounced),
    retry: false,
    staleTime: 0,
    meta: { quiet: true },
  });
  const save = useMutation({
    mutationFn: () => api.post(`${screen.api}/save`, draft),
    onSuccess: () => {
      showMessage('success', '保存成功');
      void client.invalidateQueries({ queryKey: [screen.name] });
      onClose();
    },
    onError: reportError,
  });
  const change = (changes: Partial<TemplateAnswer>) => setAsked((before) => ({ ...before, ...changes }));
  const refused = preview.error && !isCancelled(preview.error) ? preview.error.message : null;
  return (
    <Modal
      open
      title={`单据编号：${template.bill_name}`}
      okText="保存"
      cancelText="取消"
      okButtonProps={{ loading: save.isPending, disabled: refused !== null }}
      onOk={() => save.mutate()}
      onCancel={onClose}
    >
      <Form labelCol={{ span: 7 }}>
        <Form.Item label="前缀">
          <Input
            aria-label="前缀"
            maxLength={8}
            placeholder={template.bill_type}
            value={draft.prefix}
            onChange={(event) => change({ prefix: event.target.value.toUpperCase() })}
          />
        </Form.Item>
        <Form.Item label="含公司编码">
          <Switch
            aria-label="含公司编码"
            checked={draft.with_company}
            onChange={(on) => change({ with_company: on })}
          />
        </Form.Item>
        <Form.Item label="日期格式">
          <Select
            aria-label="日期格式"
            value={draft.date_form}
            options={buildOptions(DATE_FORMS)}
            onChange={(value) => change({ date_form: value })}
          />
        </Form.Item>
        <Form.Item label="流水号位数">
          <InputNumber
            aria-label="流水号位数"
            min={3}
            max={8}
            precision={0}
            value={draft.digits}
            onChange={(value) => change({ digits: value ?? 4 })}
          />
        </Form.Item>
        <Form.Item label="重新编号">
          <Select
            aria-label="重新编号"
            value={draft.reset}
            options={buildOptions(RESET_LABELS)}
            onChange={(value) => change({ reset: value })}
          />
        </Form.Item>
      </Form>
      {refused ? (
        <Alert type="error" showIcon title={refused} />
      ) : (
        <Alert type="info" title={<span role="status">示例：{preview.data?.example ?? ''}</span>} />
      )}
    </Modal>
  );
}
