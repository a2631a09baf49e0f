/** 短信记录: messages sent, and a dialog that sends one: number, template, and the values of its placeholders. */
import { SendOutlined } from '@ant-design/icons';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button, Flex, Form, Input, Modal, Select, Typography } from 'antd';
import { useState } from 'react';
import ListPage from '@/engine/list/ListPage';
import { findAction, type Screen } from '@/engine/types';
import type { SmsTemplateChoice } from '@/gen';
import { api } from '@/lib/api';
import { reportError, showMessage } from '@/lib/errors';
import { useQuery } from '@/lib/query';

const PATH = 'v2/system/Sms';

export default function SmsBillPage({ screen, params }: { screen: Screen; params: Record<string, string> }) {
  const [open, setOpen] = useState(false);
  const list = { ...screen, actions: screen.actions.filter(({ name }) => name !== 'send') };
  return (
    <Flex vertical gap={8} className="sms-bill">
      {findAction(screen, 'send') && (
        <div>
          <Button type="primary" icon={<SendOutlined />} onClick={() => setOpen(true)}>
            发送短信
          </Button>
        </div>
      )}
      <ListPage screen={list} params={params} />
      {open && <SendDialog name={screen.name} onClose={() => setOpen(false)} />}
    </Flex>
  );
}

function SendDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const client = useQueryClient();
  const [mobile, setMobile] = useState('');
  const [chosen, setChosen] = useState<number | null>(null);
  const [values, setValues] = useState<Record<string, string>>({});
  const templates = useQuery({
    queryKey: ['sms_template', 'choice'],
    queryFn: ({ signal }) => api.get<SmsTemplateChoice[]>(`${PATH}/getSmsTemplate`, {}, { signal }),
  });
  const template = templates.data?.find((one) => one.sms_template_id === chosen);
  const places = [...new Set([...(template?.content ?? '').matchAll(/\{(\w+)\}/g)].map(([, place]) => place ?? ''))];
  const sending = useMutation({
    mutationFn: () => api.post(`${PATH}/sendSms`, { mobile, sms_template_id: chosen, values }),
    onSuccess: () => {
      showMessage('success', '短信已提交，稍后可在列表查看结果');
      void client.invalidateQueries({ queryKey: [name] });
      onClose();
    },
    onError: reportError,
  });
  const send = () => {
    if (chosen === null) showMessage('warning', '请选择短信模板');
    else if (!/^1\d{10}$/.test(mobile.trim())) showMessage('warning', '目前只支持中国大陆的手机号码');
    else sending.mutate();
  };
  return (
    <Modal
      open
      title="发送短信"
      okText="发送"
      cancelText="取消"
      confirmLoading={sending.isPending}
      onOk={send}
      onCancel={onClose}
    >
      <Form layout="vertical">
        <Form.Item label="手机号" required>
          <Input
            aria-label="手机号"
            maxLength={11}
            inputMode="numeric"
            value={mobile}
            onChange={(event) => setMobile(event.target.value)}
          />
        </Form.Item>
        <Form.Item label="短信模板" required>
          <Select
            aria-label="短信模板"
            loading={templates.isLoading}
            value={chosen}
            options={templates.data?.map((one) => ({ value: one.sms_template_id, label: one.template_name }))}
            onChange={setChosen}
          />
        </Form.Item>
        {places.map((place) => (
          <Form.Item key={place} label={place} required>
            <Input
              aria-label={place}
              maxLength={60}
              value={values[place] ?? ''}
              onChange={(event) => setValues({ ...values, [place]: event.target.value })}
            />
          </Form.Item>
        ))}
        {template && (
          <Typography.Text type="secondary">
            {template.content.replace(/\{(\w+)\}/g, (whole, place: string) => values[place] || whole)}
          </Typography.Text>
        )}
      </Form>
    </Modal>
  );
}
