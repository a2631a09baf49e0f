/** A survey's form in a frame. */
import { useQueryClient } from '@tanstack/react-query';
import { Modal } from 'antd';
import { useEffect } from 'react';

interface Props {
  title: string;
  address: string;
  onClose: () => void;
}

/** Message that the framed form posts once it has been submitted. */
export const SUBMITTED_MESSAGE = 'survey:submitted';

export default function SurveyFrame({ title, address, onClose }: Props) {
  const client = useQueryClient();
  useEffect(() => {
    const onMessage = (event: MessageEvent) => {
      if (event.origin !== window.location.origin || event.data !== SUBMITTED_MESSAGE) return;
      void client.invalidateQueries({ queryKey: ['questionnaires'] });
      onClose();
    };
    window.addEventListener('message', onMessage);
    return () => window.removeEventListener('message', onMessage);
  }, [client, onClose]);
  return (
    <Modal
      open
      title={title}
      width={1100}
      footer={null}
      onCancel={onClose}
      mask={{ closable: false }}
      styles={{ body: { height: '70vh' } }}
    >
      <iframe src={address} title={title} style={{ width: '100%', height: '100%', border: 0 }} />
    </Modal>
  );
}
