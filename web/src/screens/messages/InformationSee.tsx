/** 公告详情: opening it marks it read. */
import { useQueryClient } from '@tanstack/react-query';
import { Card, Result, Spin, Typography } from 'antd';
import { useEffect } from 'react';
import { infoQuery } from '@/engine/queries';
import type { Screen } from '@/engine/types';
import { api } from '@/lib/api';
import { isCancelled } from '@/lib/errors';
import { RichText } from '@/lib/RichText';
import { useQuery } from '@/lib/query';

export default function InformationSee({ screen, params }: { screen: Screen; params: Record<string, string> }) {
  const id = Number(params.id ?? 0);
  const client = useQueryClient();
  const { data, error } = useQuery(infoQuery(screen, id));
  const unread = data !== undefined && Number(data.is_read) === 0;
  useEffect(() => {
    if (!unread) return;
    api
      .post('v2/open/Message/readUserMessage', { message_log_id: id })
      .then(() =>
        client.invalidateQueries({
          predicate: ({ queryKey }) => queryKey[0] === screen.name || queryKey[0] === 'messages',
        }),
      )
      .catch(() => undefined);
  }, [client, id, screen.name, unread]);
  if (error && !isCancelled(error))
    return <Result status="warning" title="公告不存在或已撤回" subTitle={error.message} />;
  if (!data) return <Spin />;
  return (
    <Card style={{ maxWidth: 960 }}>
      <Typography.Title level={4} style={{ marginTop: 0 }}>
        {String(data.message_title)}
      </Typography.Title>
      <Typography.Paragraph type="secondary">
        {[data.author, data.publish_at].filter(Boolean).map(String).join(' · ')}
      </Typography.Paragraph>
      {data.message_abstract ? (
        <Typography.Paragraph italic>{String(data.message_abstract)}</Typography.Paragraph>
      ) : null}
      <RichText text={String(data.message_content)} />
    </Card>
  );
}
