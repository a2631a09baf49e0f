/** 设置预警: which figure under which filters, between which bounds, and how one is told; a new one, or one that is changed. */
import { Alert, Button, Form, Input, Modal, Radio, Select, Space } from 'antd';
import { useState } from 'react';
import { schemesQuery } from '@/engine/list/schemes';
import type { Alert as FigureAlert, ChangedAlert, FigureChoice } from '@/gen';
import { useQuery } from '@/lib/query';
import { useTabs } from '@/lib/tabs';
import { alertsQuery, figureChoicesQuery, PAGE, presentValueQuery, useAlerting, type Command } from './alerts';
import { sentBound, typedBound } from './bounds';

interface Props {
  code: string;
  tab: string;
  /** Under which name the user's filters are kept. */
  keptAs: string;
  /** The one that is changed. */
  alert?: FigureAlert;
  onClose: () => void;
}

interface Wish {
  figure: string;
  scheme: string | null;
  low: string;
  high: string;
  way: ChangedAlert['way'];
}

export default function AlertDialog({ code, tab, keptAs, alert, onClose }: Props) {
  const tabs = useTabs();
  const { data: known, error } = useQuery(alertsQuery());
  const { data: sets = [] } = useQuery(schemesQuery(keptAs));
  const { data: figures = [], error: refused } = useQuery(figureChoicesQuery(code, tab));
  const alerting = useAlerting();
  const [wish, setWish] = useState<Wish>(() => wishOf(alert));
  const change = (changes: Partial<Wish>) => setWish((before) => ({ ...before, ...changes }));
  const share = figures.find(({ key }) => key === wish.figure)?.share ?? alert?.share ?? false;
  const now = useQuery(presentValueQuery(code, tab, wish.figure, wish.scheme));
  const [low, high] = [sentBound(wish.low, share), sentBound(wish.high, share)];
  const ready = known !== undefined && wish.figure !== '' && low !== undefined && high !== undefined && (low !== null || high !== null);

  const save = () => {
    const body = { figure: wish.figure, scheme: wish.scheme, low: low ?? null, high: high ?? null, way: wish.way };
    const command: Command = alert
      ? { call: 'edit', body: { ...body, alert_id: alert.alert_id }, told: '预警已修改' }
      : { call: 'add', body: { ...body, code, tab }, told: '已设置预警，可在“我的预警”中修改、暂停或删除' };
    alerting.mutate(command, { onSuccess: onClose });
  };
  const choices = [{ value: '', label: '报表默认' }, ...sets.filter(({ mine }) => mine).map(({ name }) => ({ value: name, label: name }))];
  const bound = (label: string, name: 'low' | 'high', wrong: boolean) => (
    <Input
      aria-label={label}
      style={{ width: 170 }}
      placeholder={label}
      status={wrong ? 'error' : undefined}
      suffix={share ? '%' : undefined}
      value={wish[name]}
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
                tabs.open(PAGE, '我的预警');
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
        <Form.Item label="数字" htmlFor="alert-figure" extra={now.data && `现在是 ${now.data.told}（筛选：${now.data.filters}）`}>
          <Select
            id="alert-figure"
            showSearch={{ optionFilterProp: 'label' }}
            value={wish.figure || undefined}
            placeholder="选择报表上的一个数字"
            options={grouped(figures)}
            onChange={(figure) => change({ figure })}
          />
        </Form.Item>
        <Form.Item label="筛选" htmlFor="alert-set" extra="按常用筛选（查询方案）的当前内容取数；期间随时间前移，在常用筛选中固定的除外">
          <Select id="alert-set" value={wish.scheme ?? ''} options={choices} onChange={(name) => change({ scheme: name || null })} />
        </Form.Item>
        <Form.Item label="范围" extra="每次数据发布后检查：超出范围时提醒一次，回到范围之内再超出时才又提醒">
          <Space wrap>
            {bound('下限', 'low', low === undefined)}
            {bound('上限', 'high', high === undefined)}
          </Space>
        </Form.Item>
        <Form.Item label="方式" extra={known?.mail_problem ?? undefined}>
          <Radio.Group value={wish.way} onChange={(event) => change({ way: event.target.value as Wish['way'] })}>
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

function wishOf(alert: FigureAlert | undefined): Wish {
  if (!alert) return { figure: '', scheme: null, low: '', high: '', way: 'message' };
  const { figure, scheme, low, high, way, share } = alert;
  return { figure, scheme, low: typedBound(low, share), high: typedBound(high, share), way };
}

/** Figures by the chart or table that they stand in. */
function grouped(figures: FigureChoice[]) {
  const charts = [...new Set(figures.map(({ chart }) => chart))];
  return charts.map((chart) => ({
    label: chart,
    title: chart,
    options: figures.filter((figure) => figure.chart === chart).map(({ key, label }) => ({ value: key, label })),
  }));
}
