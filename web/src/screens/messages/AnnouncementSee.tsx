/** 系统公告详情: the text as readers see it, its audience, and who has read it. */
import { Button, Card, Descriptions, Flex, Progress, Table, Tag, Typography } from 'antd';
import { QueryFallback } from '@/engine/QueryFallback';
import { infoQuery } from '@/engine/queries';
import { findAction, type Screen } from '@/engine/types';
import type { Addressees } from '@/gen';
import { RichText } from '@/lib/RichText';
import { useQuery } from '@/lib/query';
import { useTabs } from '@/lib/tabs';
import { addresseesQuery, audienceName } from './announcement';

export default function AnnouncementSee({ screen, params }: { screen: Screen; params: Record<string, string> }) {
  const id = Number(params.id ?? 0);
  const tabs = useTabs();
  const stored = useQuery(infoQuery(screen, id));
  const addressees = useQuery(addresseesQuery(id));
  const { data } = stored;
  if (!data || !addressees.data) return <QueryFallback title="公告加载失败" queries={[stored, addressees]} />;
  const { companies, roles, reached, read, readers } = addressees.data;
  return (
    <Flex gap={8} align="flex-start">
      <Card
        style={{ flex: 1, minWidth: 0 }}
        title={String(data.message_title)}
        extra={
          findAction(screen, 'edit') && (
            <Button onClick={() => tabs.open(`${screen.routes.add}?id=${id}`, `修改${screen.label}`)}>修改</Button>
          )
        }
      >
        {data.message_abstract ? (
          <Typography.Paragraph italic>{String(data.message_abstract)}</Typography.Paragraph>
        ) : null}
        <RichText text={String(data.message_content)} />
      </Card>
      <Flex vertical gap={8} style={{ width: 360, flex: 'none' }}>
        <Card size="small" title="发布">
          <Descriptions
            column={1}
            size="small"
            items={[
              { label: '接收范围', children: audienceName(screen, data) },
              ...(companies.length
                ? [{ label: '指定公司', children: companies.map((one) => <Tag key={one.id}>{one.name}</Tag>) }]
                : []),
              ...(roles.length
                ? [{ label: '指定角色', children: roles.map((one) => <Tag key={one.id}>{one.name}</Tag>) }]
                : []),
              { label: '发布公司', children: String(data.company_name ?? '') },
              { label: '发布人', children: String(data.author_name ?? '—') },
              { label: '发布时间', children: String(data.publish_at ?? '未发布') },
              { label: '过期时间', children: String(data.expires_at ?? '长期有效') },
              ...(data.withdrawn_at ? [{ label: '撤回时间', children: String(data.withdrawn_at) }] : []),
            ]}
          />
        </Card>
        <Card size="small" title={`已读 ${read} / ${reached} 人`}>
          <Progress percent={reached ? Math.round((read / reached) * 100) : 0} size="small" />
          <Table<Addressees['readers'][number]>
            size="small"
            rowKey={(row) => `${row.realname}${row.company_name}${row.read_at ?? ''}`}
            dataSource={readers}
            pagination={{ pageSize: 10, size: 'small', hideOnSinglePage: true }}
            columns={[
              { title: '姓名', dataIndex: 'realname', width: 80, ellipsis: true },
              { title: '公司', dataIndex: 'company_name', ellipsis: true },
              { title: '阅读时间', width: 130, render: (_, row) => row.read_at?.slice(5, 16) ?? <Tag>未读</Tag> },
            ]}
          />
        </Card>
      </Flex>
    </Flex>
  );
}
