/** A survey's form in a frame. */
import { useQueryClient } from '@tanstack/react-query';
import { Modal } from 'antd';
import { useEffect } from 'react';

interface Props {
  title: string;
  address: string;
  onClose: () => void;
}

/** What the framed form tells when it has been sent. */
export const SUBMITTED = 'survey:submitted';

export default function SurveyFrame({ title, address, onClose }: Props) {
  const client = useQueryClient();
  useEffect(() => {
    const heard = (event: MessageEvent) => {
      if (event.origin !== window.location.origin || event.data !== SUBMITTED) return;
      void client.invalidateQueries({ queryKey: ['questionnaires'] });
      onClose();
    };
    window.addEventListener('message', heard);
    return () => window.removeEventListener('message', heard);
  }, [client, onClose]);
  return (
    <Modal open title={title} width={1100} footer={null} onCancel={onClose} mask={{ closable: false }} styles={{ body: { height: '70vh' } }}>
      <iframe src={address} title={title} style={{ width: '100%', height: '100%', border: 0 }} />
    </Modal>
  );
}
