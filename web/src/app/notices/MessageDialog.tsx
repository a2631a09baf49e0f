/** One announcement; opening it marks it read. */
import { useQueryClient } from '@tanstack/react-query';
import { Modal, Typography } from 'antd';
import { useEffect } from 'react';
import type { Message } from '@/gen';
import { RichText } from '@/lib/RichText';
import { markMessageRead } from './queries';

export default function MessageDialog({ message, onClose }: { message: Message; onClose: () => void }) {
  const client = useQueryClient();
  const { message_log_id: id, is_read: read } = message;
  useEffect(() => {
    if (read === 1) return;
    markMessageRead(id)
      .then(() => client.invalidateQueries({ queryKey: ['messages'] }))
      .catch(() => undefined);
  }, [client, id, read]);
  return (
    <Modal open title={message.message_title} width={720} footer={null} onCancel={onClose}>
      <Typography.Text type="secondary">
        {[message.author, message.publish_at].filter(Boolean).join(' · ')}
      </Typography.Text>
      <div style={{ marginTop: 12, maxHeight: '60vh', overflow: 'auto' }}>
        <RichText text={message.message_content} />
      </div>
    </Modal>
  );
}
