/** 公司信息: the user's own company. */
import { Card, Descriptions } from 'antd';
import { ScreenLoading } from '@/engine/ScreenLoading';
import { api } from '@/lib/api';
import { useQuery } from '@/lib/query';
import { useSession } from './session';

interface CompanyRow {
  company_name: string;
  company_code: string;
  short_name: string | null;
  address: string | null;
}

export default function CompanyInfo() {
  const companyId = useSession()?.company_id;
  const { data, isPending } = useQuery({
    queryKey: ['company', 'own', companyId],
    queryFn: () => api.get<{ data: CompanyRow[] }>('v2/system/Company/getDropdown', { id: companyId }),
    enabled: companyId !== undefined,
  });
  const company = data?.data[0];
  if (isPending) return <ScreenLoading />;
  return (
    <Card title="公司信息" size="small" style={{ maxWidth: 860 }}>
      <Descriptions
        bordered
        column={1}
        size="small"
        items={[
          { label: '公司名称', children: company?.company_name },
          { label: '公司编码', children: company?.company_code },
          { label: '简称', children: company?.short_name },
          { label: '地址', children: company?.address },
        ].map((item) => ({ ...item, children: item.children || '—' }))}
      />
    </Card>
  );
}
