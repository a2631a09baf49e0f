/**
 * 问卷提示: after each change of route a service station is asked, once a day and survey, to fill one in; the
 * satisfaction form comes last.
 */
import { Modal } from 'antd';
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import type { WaitingQuestionnaire } from '@/gen';
import { reportWarning } from '@/lib/errors';
import { useQuery } from '@/lib/query';
import { recordPrompt, wasPrompted } from './promptMemory';
import { questionnairesQuery, satisfactionQuery, fetchSurveyAddress } from './queries';

const SatisfactionDialog = lazy(() => import('./SatisfactionDialog'));
const SurveyFrame = lazy(() => import('./SurveyFrame'));

/** Numbers of questionnaires begin at 1. */
const SATISFACTION_ID = 0;

interface PromptedSurvey {
  id: number;
  text: string;
  /** Absent for the satisfaction form. */
  item?: WaitingQuestionnaire;
}

interface Props {
  route: string;
  /** Another dialog stands open. */
  wait: boolean;
}

export default function SurveyPrompt({ route, wait }: Props) {
  const { data, refetch } = useQuery(questionnairesQuery());
  const { data: satisfaction, refetch: askSatisfaction } = useQuery(satisfactionQuery());
  const [prompted, setAsked] = useState<PromptedSurvey | null>(null);
  const [satisfying, setSatisfying] = useState(false);
  const [framed, setFramed] = useState<{ title: string; address: string } | null>(null);

  useEffect(() => {
    void refetch();
    void askSatisfaction();
  }, [route, refetch, askSatisfaction]);

  const waiting: PromptedSurvey[] = (data ?? []).map((item) => ({
    id: item.id,
    text: item.show_msg || item.questionnaire_title,
    item,
  }));
  if (data && satisfaction?.status === 1) waiting.push({ id: SATISFACTION_ID, text: '邀请您填写客户满意度调查' });
  const next = waiting.find(({ id }) => !wasPrompted(id));
  const [askedAt, setAskedAt] = useState<string>();
  if (next && askedAt !== route && prompted === null && framed === null && !satisfying) {
    setAskedAt(route);
    setAsked(next);
  }
  useEffect(() => {
    if (prompted && !wait) recordPrompt(prompted.id);
  }, [prompted, wait]);

  const fill = async ({ item }: PromptedSurvey) => {
    if (!item) {
      setSatisfying(true);
      setAsked(null);
      return;
    }
    try {
      setFramed({ title: item.questionnaire_title, address: await fetchSurveyAddress(item) });
      setAsked(null);
    } catch (error) {
      reportWarning(error);
    }
  };
  const close = useCallback(() => setFramed(null), []);

  return (
    <>
      {prompted && !wait && (
        <Modal open title="提示" okText="去填写" onOk={() => fill(prompted)} onCancel={() => setAsked(null)}>
          <p>{prompted.text}</p>
        </Modal>
      )}
      <Suspense>
        {framed && <SurveyFrame {...framed} onClose={close} />}
        {satisfying && satisfaction && (
          <SatisfactionDialog questions={satisfaction.questions} onClose={() => setSatisfying(false)} />
        )}
      </Suspense>
    </>
  );
}
