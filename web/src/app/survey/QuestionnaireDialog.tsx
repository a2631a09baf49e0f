/** 问卷: the list of the user's pending questionnaires. */
import { useMutation } from '@tanstack/react-query';
import { Button, Empty, Flex, Modal, Spin, Typography } from 'antd';
import { lazy, Suspense, useState } from 'react';
import type { WaitingQuestionnaire } from '@/gen';
import { reportWarning } from '@/lib/errors';
import { useQuery } from '@/lib/query';
import { questionnairesQuery, satisfactionQuery, fetchSurveyAddress } from './queries';

const SurveyFrame = lazy(() => import('./SurveyFrame'));
const SatisfactionDialog = lazy(() => import('./SatisfactionDialog'));

export default function QuestionnaireDialog({ onClose }: { onClose: () => void }) {
  const { data, isPending } = useQuery(questionnairesQuery());
  const satisfaction = useQuery(satisfactionQuery());
  const [framed, setFramed] = useState<{ title: string; address: string } | null>(null);
  const [satisfied, setSatisfied] = useState(false);
  const jump = useMutation({
    mutationFn: fetchSurveyAddress,
    onSuccess: (address, item) => setFramed({ title: item.questionnaire_title, address }),
    onError: reportWarning,
  });
  const waits = satisfaction.data?.status === 1;
  return (
    <>
      <Modal open title="问卷" width={600} footer={null} onCancel={onClose}>
        {isPending && <Spin />}
        {data?.length === 0 && !waits && <Empty description="暂无待填写的问卷" />}
        {data?.map((item) => (
          <QuestionnaireRow
            key={item.questionnaire_id}
            item={item}
            busy={jump.isPending && jump.variables.questionnaire_id === item.questionnaire_id}
            onFill={() => jump.mutate(item)}
          />
        ))}
        {waits && (
          <Flex justify="space-between" align="center" style={{ padding: '10px 0' }}>
            <Typography.Text strong>客户满意度调查</Typography.Text>
            <Button type="primary" onClick={() => setSatisfied(true)}>
              去填写
            </Button>
          </Flex>
        )}
      </Modal>
      <Suspense>
        {framed && <SurveyFrame {...framed} onClose={() => setFramed(null)} />}
        {satisfied && satisfaction.data && (
          <SatisfactionDialog questions={satisfaction.data.questions} onClose={() => setSatisfied(false)} />
        )}
      </Suspense>
    </>
  );
}

function QuestionnaireRow({ item, busy, onFill }: { item: WaitingQuestionnaire; busy: boolean; onFill: () => void }) {
  return (
    <Flex
      justify="space-between"
      align="center"
      gap={12}
      style={{ padding: '10px 0', borderBottom: '1px solid #eef1f5' }}
    >
      <div>
        <Typography.Text strong>{item.questionnaire_title}</Typography.Text>
        <br />
        <Typography.Text type="secondary">截止时间：{item.expire_time}</Typography.Text>
      </div>
      <Button type="primary" loading={busy} onClick={onFill}>
        去填写
      </Button>
    </Flex>
  );
}
