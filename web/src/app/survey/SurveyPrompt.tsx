/** 问卷提示: after each change of route a service station is asked, once a day and survey, to fill one in. */
import { Modal } from 'antd';
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import type { WaitingQuestionnaire } from '@/gen';
import { reportError } from '@/lib/errors';
import { useQuery } from '@/lib/query';
import { notePrompt, wasPrompted } from './promptMemory';
import { questionnairesQuery, surveyAddress } from './queries';

const SurveyFrame = lazy(() => import('./SurveyFrame'));

interface Props {
  route: string;
  /** Another dialog stands open. */
  wait: boolean;
}

export default function SurveyPrompt({ route, wait }: Props) {
  const { data, refetch } = useQuery(questionnairesQuery());
  const [asked, setAsked] = useState<WaitingQuestionnaire | null>(null);
  const [framed, setFramed] = useState<{ title: string; address: string } | null>(null);

  useEffect(() => {
    void refetch();
  }, [route, refetch]);

  const next = data?.find((item) => !wasPrompted(item.id));
  const [seen, setSeen] = useState<WaitingQuestionnaire>();
  if (next !== seen) {
    setSeen(next);
    if (next && asked === null && framed === null) setAsked(next);
  }
  useEffect(() => {
    if (asked && !wait) notePrompt(asked.id);
  }, [asked, wait]);

  const fill = async (item: WaitingQuestionnaire) => {
    try {
      setFramed({ title: item.questionnaire_title, address: await surveyAddress(item) });
      setAsked(null);
    } catch (error) {
      reportError(error);
    }
  };
  const close = useCallback(() => setFramed(null), []);

  return (
    <>
      {asked && !wait && (
        <Modal open title="提示" okText="去填写" onOk={() => fill(asked)} onCancel={() => setAsked(null)}>
          <p>{asked.show_msg || asked.questionnaire_title}</p>
        </Modal>
      )}
      {framed && (
        <Suspense>
          <SurveyFrame {...framed} onClose={close} />
        </Suspense>
      )}
    </>
  );
}
