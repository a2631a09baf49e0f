/** 客服: a station's contact, on every page of the simple layout. */
import { ClockCircleOutlined, CustomerServiceOutlined, PhoneOutlined, UserOutlined } from '@ant-design/icons';
import { FloatButton, Popover } from 'antd';
import { useState } from 'react';
import type { CustomerService as ContactAnswer } from '@/gen';
import { api } from '@/lib/api';
import { useQuery } from '@/lib/query';
import styles from './station.module.css';

export default function CustomerService() {
  const [open, setOpen] = useState(false);
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      trigger="click"
      placement="leftBottom"
      title="联系客服"
      content={<ContactPanel />}
      destroyOnHidden
    >
      <FloatButton icon={<CustomerServiceOutlined />} aria-label="联系客服" />
    </Popover>
  );
}

function ContactPanel() {
  const { data } = useQuery({
    queryKey: ['station', 'service'],
    queryFn: () => api.get<ContactAnswer>('v2/open/SuperStation/getCustomerService'),
    meta: { quiet: true },
  });
  if (!data) return null;
  if (!data.phone) return <p className={styles.service}>集团尚未设置客服电话</p>;
  return (
    <dl className={styles.service}>
      {data.contact && (
        <div>
          <dt>
            <UserOutlined /> 联系人
          </dt>
          <dd>{data.contact}</dd>
        </div>
      )}
      <div>
        <dt>
          <PhoneOutlined /> 电话
        </dt>
        <dd>
          <a href={`tel:${data.phone}`}>{data.phone}</a>
        </dd>
      </div>
      {data.hours && (
        <div>
          <dt>
            <ClockCircleOutlined /> 服务时间
          </dt>
          <dd>{data.hours}</dd>
        </div>
      )}
    </dl>
  );
}
