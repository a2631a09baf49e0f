/** 设置预警: figure, filters, bounds and notification of a new or existing alert. */
import { Alert, Button, Form, Input, Modal, Radio, Select, Space } from 'antd';
import { useState } from 'react';
import { schemesQuery } from '@/engine/list/schemes';
import type { Alert as FigureAlert, ChangedAlert, FigureChoice } from '@/gen';
import { useQuery } from '@/lib/query';
import { useTabs } from '@/lib/tabs';
import {
  alertsQuery,
  figureChoicesQuery,
  ALERTS_PAGE,
  presentValueQuery,
  useAlertCommand,
  type AlertCommand,
} from './alerts';
import { parseBound, formatBound } from './bounds';

interface Props {
  code: string;
  tab: string;
  /** Screen under which the user's filters are stored. */
  schemeScreen: string;
  /** The one that is changed. */
  alert?: FigureAlert;
  onClose: () => void;
}

interface AlertRequest {
  figure: string;
  scheme: string | null;
  low: string;
  high: string;
  way: ChangedAlert['way'];
}

export default function AlertDialog({ code, tab, schemeScreen: keptAs, alert, onClose }: Props) {
  const tabs = useTabs();
  const { data: known, error } = useQuery(alertsQuery());
  const { data: sets = [] } = useQuery(schemesQuery(keptAs));
  const { data: figures = [], error: refused } = useQuery(figureChoicesQuery(code, tab));
  const alerting = useAlertCommand();
  const [request, setWish] = useState<AlertRequest>(() => toAlertRequest(alert));
  const change = (changes: Partial<AlertRequest>) => setWish((before) => ({ ...before, ...changes }));
  const share = figures.find(({ key }) => key === request.figure)?.share ?? alert?.share ?? false;
  const now = useQuery(presentValueQuery(code, tab, request.figure, request.scheme));
  const [low, high] = [parseBound(request.low, share), parseBound(request.high, share)];
  const ready =
    known !== undefined &&
    request.figure !== '' &&
    low !== undefined &&
    high !== undefined &&
    (low !== null || high !== null);

  const save = () => {
    const body = {
      figure: request.figure,
      scheme: request.scheme,
      low: low ?? null,
      high: high ?? null,
      way: request.way,
    };
    const command: AlertCommand = alert
      ? { call: 'edit', body: { ...body, alert_id: alert.alert_id }, successMessage: '预警已修改' }
      : { call: 'add', body: { ...body, code, tab }, successMessage: '已设置预警，可在“我的预警”中修改、暂停或删除' };
    alerting.mutate(command, { onSuccess: onClose });
  };
  const choices = [
    { value: '', label: '报表默认' },
    ...sets.filter(({ mine }) => mine).map(({ name }) => ({ value: name, label: name })),
  ];
  const bound = (label: string, name: 'low' | 'high', wrong: boolean) => (
    <Input
      aria-label={label}
      style={{ width: 170 }}
      placeholder={label}
      status={wrong ? 'error' : undefined}
      suffix={share ? '%' : undefined}
      value={request[name]}
      onChange={(event) => change({ [name]: event.target.value })}
    />
  );

  return (
    <Modal
      open
      title={alert ? `修改预警“${alert.title}”` : '设置预警'}
      onCancel={onClose}
      footer={
        <Space>
          {!alert && (
            <Button
              type="link"
              onClick={() => {
                onClose();
                tabs.open(ALERTS_PAGE, '我的预警');
              }}
            >
              我的预警
            </Button>
          )}
          <Button onClick={onClose}>取消</Button>
          <Button type="primary" disabled={!ready} loading={alerting.isPending} onClick={save}>
            保存
          </Button>
        </Space>
      }
    >
      {(error ?? refused) && <Alert type="error" showIcon title={(error ?? refused)?.message} />}
      <Form layout="vertical">
        <Form.Item
          label="数字"
          htmlFor="alert-figure"
          extra={now.data && `现在是 ${now.data.told}（筛选：${now.data.filters}）`}
        >
          <Select
            id="alert-figure"
            showSearch={{ optionFilterProp: 'label' }}
            value={request.figure || undefined}
            placeholder="选择报表上的一个数字"
            options={groupByChart(figures)}
            onChange={(figure) => change({ figure })}
          />
        </Form.Item>
        <Form.Item
          label="筛选"
          htmlFor="alert-set"
          extra="按常用筛选（查询方案）的当前内容取数；期间随时间前移，在常用筛选中固定的除外"
        >
          <Select
            id="alert-set"
            value={request.scheme ?? ''}
            options={choices}
            onChange={(name) => change({ scheme: name || null })}
          />
        </Form.Item>
        <Form.Item label="范围" extra="每次数据发布后检查：超出范围时提醒一次，回到范围之内再超出时才又提醒">
          <Space wrap>
            {bound('下限', 'low', low === undefined)}
            {bound('上限', 'high', high === undefined)}
          </Space>
        </Form.Item>
        <Form.Item label="方式" extra={known?.mail_problem ?? undefined}>
          <Radio.Group
            value={request.way}
            onChange={(event) => change({ way: event.target.value as AlertRequest['way'] })}
          >
            <Radio value="message">站内消息</Radio>
            <Radio value="mail" disabled={!known?.mail_address}>
              邮件 {known?.mail_address}
            </Radio>
          </Radio.Group>
        </Form.Item>
      </Form>
    </Modal>
  );
}

function toAlertRequest(alert: FigureAlert | undefined): AlertRequest {
  if (!alert) return { figure: '', scheme: null, low: '', high: '', way: 'message' };
  const { figure, scheme, low, high, way, share } = alert;
  return { figure, scheme, low: formatBound(low, share), high: formatBound(high, share), way };
}

/** Figures by the chart or table that they stand in. */
function groupByChart(figures: FigureChoice[]) {
  const charts = [...new Set(figures.map(({ chart }) => chart))];
  return charts.map((chart) => ({
    label: chart,
    title: chart,
    options: figures.filter((figure) => figure.chart === chart).map(({ key, label }) => ({ value: key, label })),
  }));
}
