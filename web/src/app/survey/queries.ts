/** 问卷: the user's pending questionnaires, and the addresses of their forms. */
import { queryOptions } from '@tanstack/react-query';
import type { JumpUrl, SatisfactionStatus, WaitingQuestionnaire } from '@/gen';
import { api } from '@/lib/api';

const POLL_INTERVAL = 15_000;

export function questionnairesQuery() {
  return queryOptions({
    queryKey: ['questionnaires', 'list'],
    queryFn: () => api.get<WaitingQuestionnaire[]>('v2/open/Questionnaire/getQuestionnaireList'),
    staleTime: 0,
    meta: { quiet: true },
  });
}

export function questionnaireCountQuery() {
  return queryOptions({
    queryKey: ['questionnaires', 'count'],
    queryFn: () => api.get<{ count: number }>('v2/open/Questionnaire/getQuestionnaireCount'),
    refetchInterval: POLL_INTERVAL,
    staleTime: 0,
    meta: { quiet: true },
  });
}

export function satisfactionQuery() {
  return queryOptions({
    queryKey: ['questionnaires', 'satisfaction'],
    queryFn: () => api.get<SatisfactionStatus>('v2/open/Survey/getSatisfactionStatus'),
    staleTime: 60_000,
    meta: { quiet: true },
  });
}

/** The address of a questionnaire's form; refused without its id. */
export async function fetchSurveyAddress(item: WaitingQuestionnaire): Promise<string> {
  const { questionnaire_id, questionnaire_hash, id, show_msg } = item;
  const query = { action: 'survey_collect', questionnaire_id, questionnaire_hash, id, show_msg };
  return (await api.get<JumpUrl>('v2/open/Survey/createJumpNewUrl', query)).jump_url;
}
