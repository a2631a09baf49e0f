/** 收银台: a payment's amount and state, shown to whoever holds its token; no login is asked for. */
import { Result, Spin, Typography } from 'antd';
import { useSearchParams } from 'react-router';
import type { Payment } from '@/gen';
import { api } from '@/lib/api';
import { formatMoney } from '@/lib/format';
import { useQuery } from '@/lib/query';

const UNKNOWN = '支付单不存在或已失效';
const icons = { 0: 'info', 1: 'success', 2: 'warning' } as const;

export default function PayCenter() {
  const [params] = useSearchParams();
  const token = params.get('pay_token') ?? '';
  const { data, isLoading } = useQuery({
    queryKey: ['payment', token],
    queryFn: () => api.get<Payment>('v2/open/PayCenter/getPayInfo', { pay_token: token }),
    enabled: token !== '',
    meta: { quiet: true },
  });
  if (isLoading) return <Spin fullscreen size="large" />;
  if (data === undefined)
    return <Result status="warning" title={UNKNOWN} subTitle="请从发起支付的页面重新进入收银台。" />;
  return (
    <Result
      status={icons[data.state as keyof typeof icons]}
      title={<Typography.Title level={2}>¥ {formatMoney(data.amount)}</Typography.Title>}
      subTitle={`${data.subject} · ${data.state_name} · 有效期至 ${data.expires_at}`}
    />
  );
}
