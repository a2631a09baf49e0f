/** 订阅报表: filters, frequency and delivery of a new or existing subscription. */
import { Alert, Button, Form, Modal, Radio, Select, Space } from 'antd';
import { useState } from 'react';
import type { ChangedSubscription, Subscription } from '@/gen';
import { schemesQuery } from '@/engine/list/schemes';
import { useQuery } from '@/lib/query';
import { useTabs } from '@/lib/tabs';
import {
  SUBSCRIPTIONS_PAGE,
  subscriptionsQuery,
  useSubscriptionCommand,
  type SubscriptionCommand,
} from './subscriptions';

type SubscriptionRequest = Omit<ChangedSubscription, 'subscription_id'>;

const rhythms = [
  { value: 'day', label: '每天' },
  { value: 'week', label: '每周' },
  { value: 'month', label: '每月' },
];
const weekdays = [...'一二三四五六日'].map((name, at) => ({ value: at + 1, label: `星期${name}` }));
const monthDays = Array.from({ length: 31 }, (_, at) => ({ value: at + 1, label: `${at + 1} 日` }));
const hours = Array.from({ length: 24 }, (_, hour) => ({ value: hour, label: `${String(hour).padStart(2, '0')}:00` }));

const DEFAULT_REQUEST: SubscriptionRequest = {
  scheme: null,
  rhythm: 'day',
  day: null,
  hour: 8,
  way: 'message',
  form: 'detail',
};

interface Props {
  code: string;
  tab: string;
  /** Screen under which the user's filters are stored. */
  schemeScreen: string;
  /** The one that is changed. */
  subscription?: Subscription;
  onClose: () => void;
}

export default function SubscribeDialog({ code, tab, schemeScreen: keptAs, subscription, onClose }: Props) {
  const tabs = useTabs();
  const { data: known, error } = useQuery(subscriptionsQuery());
  const { data: sets = [] } = useQuery(schemesQuery(keptAs));
  const subscribing = useSubscriptionCommand();
  const [request, setWish] = useState<SubscriptionRequest>(() =>
    subscription ? toSubscriptionRequest(subscription) : DEFAULT_REQUEST,
  );
  const change = (changes: Partial<SubscriptionRequest>) => setWish((before) => ({ ...before, ...changes }));
  const command: SubscriptionCommand = subscription
    ? {
        call: 'edit',
        body: { ...request, subscription_id: subscription.subscription_id },
        successMessage: '订阅已修改',
      }
    : { call: 'add', body: { ...request, code, tab }, successMessage: '已订阅，可在“我的订阅”中修改、暂停或删除' };
  const save = () => subscribing.mutate(command, { onSuccess: onClose });
  const days = request.rhythm === 'week' ? weekdays : monthDays;
  const choices = [
    { value: '', label: '报表默认' },
    ...sets.filter(({ mine }) => mine).map(({ name }) => ({ value: name, label: name })),
  ];

  return (
    <Modal
      open
      title={subscription ? `修改订阅“${subscription.title}”` : '订阅报表'}
      onCancel={onClose}
      footer={
        <Space>
          {!subscription && (
            <Button
              type="link"
              onClick={() => {
                onClose();
                tabs.open(SUBSCRIPTIONS_PAGE, '我的订阅');
              }}
            >
              我的订阅
            </Button>
          )}
          <Button onClick={onClose}>取消</Button>
          <Button type="primary" disabled={!known} loading={subscribing.isPending} onClick={save}>
            {subscription ? '保存' : '订阅'}
          </Button>
        </Space>
      }
    >
      {error && <Alert type="error" showIcon title={error.message} />}
      <Form layout="vertical">
        <Form.Item
          label="筛选"
          htmlFor="subscribe-set"
          extra="按常用筛选（查询方案）的当前内容取数；期间随时间前移，在常用筛选中固定的除外"
        >
          <Select
            id="subscribe-set"
            value={request.scheme ?? ''}
            options={choices}
            onChange={(name) => change({ scheme: name || null })}
          />
        </Form.Item>
        <Form.Item label="时间" extra={request.rhythm === 'month' ? '没有这一天的月份在月末发送' : undefined}>
          <Space wrap>
            <Radio.Group
              optionType="button"
              aria-label="周期"
              options={rhythms}
              value={request.rhythm}
              onChange={(event) =>
                change({
                  rhythm: event.target.value as SubscriptionRequest['rhythm'],
                  day: event.target.value === 'day' ? null : 1,
                })
              }
            />
            {request.rhythm !== 'day' && (
              <Select
                aria-label="日子"
                style={{ width: 110 }}
                value={request.day}
                options={days}
                onChange={(day) => change({ day })}
              />
            )}
            <Select
              aria-label="钟点"
              style={{ width: 100 }}
              value={request.hour}
              options={hours}
              onChange={(hour) => change({ hour })}
            />
          </Space>
        </Form.Item>
        <Form.Item label="文件">
          <Radio.Group
            value={request.form}
            onChange={(event) => change({ form: event.target.value as SubscriptionRequest['form'] })}
          >
            <Radio value="detail">Excel 明细</Radio>
            <Radio value="pdf">PDF</Radio>
          </Radio.Group>
        </Form.Item>
        <Form.Item label="方式" extra={known?.mail_problem ?? undefined}>
          <Radio.Group
            value={request.way}
            onChange={(event) => change({ way: event.target.value as SubscriptionRequest['way'] })}
          >
            <Radio value="message">站内消息，文件在导出任务中</Radio>
            <Radio value="mail" disabled={!known?.mail_address}>
              邮件 {known?.mail_address}
            </Radio>
          </Radio.Group>
        </Form.Item>
      </Form>
    </Modal>
  );
}

function toSubscriptionRequest({ scheme, rhythm, day, hour, way, form }: Subscription): SubscriptionRequest {
  return { scheme, rhythm, day, hour, way, form };
}
