/** 打印设置: every bill type with its templates; automatic printing on audit is a setting of this workplace. */
import { PlusOutlined } from '@ant-design/icons';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { App, Button, Flex, Input, Space, Switch, Table, Tag, Typography, type TableColumnType } from 'antd';
import { useState } from 'react';
import { confirmAct } from '@/engine/consequenceDialog';
import { listAutoPrinted, setAutoPrinted } from '@/engine/print/autoPrint';
import { DEFAULT_TEMPLATE } from '@/engine/print/printCalls';
import { useStackedColumns } from '@/engine/stackedColumns';
import { findAction, type Screen } from '@/engine/types';
import type { PrintedBillType, OwnedTemplate } from '@/gen';
import { reportError, showMessage } from '@/lib/errors';
import { useQuery } from '@/lib/query';
import { useTabs } from '@/lib/tabs';
import { printListQuery, printSetup } from './setupCalls';

export default function PrintSettingPage({ screen }: { screen: Screen; params: Record<string, string> }) {
  const list = useQuery(printListQuery());
  const [keyword, setKeyword] = useState('');
  const [auto, setAuto] = useState(listAutoPrinted);
  const tabs = useTabs();
  const maySetUp = findAction(screen, 'setup') !== undefined;
  const design = (type: PrintedBillType, id = DEFAULT_TEMPLATE) =>
    tabs.open(`${screen.routes.see ?? ''}?bill_type=${type.bill_type}&template=${id}`, `${type.label}打印模板`);
  const switchAuto = (name: string, on: boolean) => {
    const next = on ? [...auto, name] : auto.filter((one) => one !== name);
    setAuto(next);
    setAutoPrinted(next);
  };
  const columns: TableColumnType<PrintedBillType>[] = [
    { title: '模块', dataIndex: 'menu', width: 110 },
    { title: '单据类型', dataIndex: 'label', width: 170 },
    {
      title: '审核后打印（本机）',
      width: 150,
      render: (_, type) => (
        <Switch
          size="small"
          aria-label={`${type.label}审核后打印`}
          checked={auto.includes(type.bill_type)}
          onChange={(on) => switchAuto(type.bill_type, on)}
        />
      ),
    },
    {
      title: '打印模板',
      render: (_, type) => <Templates type={type} screen={screen} onDesign={(id) => design(type, id)} />,
    },
    {
      title: '',
      width: 110,
      render: (_, type) =>
        maySetUp && (
          <Button size="small" icon={<PlusOutlined />} onClick={() => design(type)}>
            新建模板
          </Button>
        ),
    },
  ];
  const rows = (list.data ?? []).filter((type) => type.label.includes(keyword.trim()));
  return (
    <Flex vertical gap={12}>
      <Flex justify="space-between" align="center" gap={12} wrap>
        <Input.Search
          allowClear
          placeholder="单据类型"
          style={{ width: 240 }}
          onChange={(event) => setKeyword(event.target.value)}
        />
        <Typography.Text type="secondary">
          打印时先用本公司的默认模板，其次集团的默认模板，都没有时用出厂模板。
        </Typography.Text>
      </Flex>
      <Table
        size="small"
        rowKey="bill_type"
        columns={useStackedColumns(columns)}
        dataSource={rows}
        loading={list.isLoading}
        pagination={false}
      />
    </Flex>
  );
}

interface TemplatesProps {
  type: PrintedBillType;
  screen: Screen;
  onDesign: (id: number) => void;
}

function Templates({ type, screen, onDesign }: TemplatesProps) {
  if (type.templates.length === 0) {
    return (
      <Space>
        <span>出厂模板</span>
        <Tag color="success">使用中</Tag>
      </Space>
    );
  }
  return (
    <Flex vertical gap={4}>
      {type.templates.map((row) => (
        <TemplateLine
          key={row.print_template_id}
          row={row}
          screen={screen}
          onDesign={() => onDesign(row.print_template_id)}
        />
      ))}
    </Flex>
  );
}

function TemplateLine({ row, screen, onDesign }: { row: OwnedTemplate; screen: Screen; onDesign: () => void }) {
  const { modal } = App.useApp();
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: async ({
      call,
      question,
      effect,
    }: {
      call: 'makeDefault' | 'recover' | 'remove';
      question?: string;
      effect?: string;
    }) => {
      const about = {
        effect: effect ?? '',
        undo: '不能恢复，只能重新设计',
        facts: [{ label: '公司', value: row.company_name ?? '集团' }],
      };
      if (question && !(await confirmAct(modal, { title: question, danger: true, about }))) return;
      await printSetup[call](row.print_template_id);
      showMessage('success', '操作成功');
    },
    onSettled: () => void client.invalidateQueries({ queryKey: ['print_template'] }),
    onError: reportError,
  });
  const may = (action: string) => row.editable && findAction(screen, action) !== undefined;
  return (
    <Space size={6} wrap>
      <Typography.Link onClick={onDesign}>{row.template_name}</Typography.Link>
      <span>{row.company_name ?? '集团'}</span>
      <Typography.Text type="secondary">{row.paper}</Typography.Text>
      {row.is_default && <Tag color="success">默认</Tag>}
      {may('setup') && !row.is_default && (
        <Button type="link" size="small" onClick={() => change.mutate({ call: 'makeDefault' })}>
          设为默认
        </Button>
      )}
      {may('setup') && (
        <Button
          type="link"
          size="small"
          onClick={() =>
            change.mutate({
              call: 'recover',
              question: `把“${row.template_name}”恢复为出厂模板？`,
              effect: '放弃对这个模板的全部修改',
            })
          }
        >
          恢复出厂
        </Button>
      )}
      {may('del') && (
        <Button
          type="link"
          size="small"
          danger
          onClick={() =>
            change.mutate({
              call: 'remove',
              question: `删除打印模板“${row.template_name}”？`,
              effect: '今后按其余模板打印',
            })
          }
        >
          删除
        </Button>
      )}
    </Space>
  );
}
