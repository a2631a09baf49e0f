/** 问卷页: the form of a questionnaire, drawn alone for the shell's frame. */
import { useMutation } from '@tanstack/react-query';
import { Button, Card, Checkbox, Form, Input, Radio, Result } from 'antd';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { ScreenLoading } from '@/engine/ScreenLoading';
import type { FormQuestion, SurveyForm } from '@/gen';
import { api } from '@/lib/api';
import { reportError } from '@/lib/errors';
import { useQuery } from '@/lib/query';
import { describeProblem, type SurveyAnswer } from './satisfactionRules';
import { SUBMITTED_MESSAGE } from './SurveyFrame';

const kinds: Record<number, string> = { 1: 'single', 2: 'multiple', 3: 'score', 4: 'text' };

export default function SurveyPage() {
  const [params] = useSearchParams();
  const which = {
    questionnaire_id: params.get('questionnaire_id') ?? '0',
    questionnaire_hash: params.get('questionnaire_hash') ?? '-',
  };
  const { data, error } = useQuery({
    queryKey: ['survey', which],
    queryFn: () => api.get<SurveyForm>('v2/open/Questionnaire/getQuestionnaireInfo', which),
    meta: { quiet: true },
  });
  if (error) return <Result status="info" title={error.message} />;
  if (data === undefined) return <ScreenLoading />;
  if (data.answered) return <Result status="success" title="您已填写过该问卷" />;
  return <SurveyQuestions form={data} hash={which.questionnaire_hash} />;
}

function SurveyQuestions({ form, hash }: { form: SurveyForm; hash: string }) {
  const [sent, setSent] = useState(false);
  const save = useMutation({
    mutationFn: (values: Record<string, SurveyAnswer>) =>
      api.post('v2/open/Questionnaire/saveQuestionnaireAnswer', {
        questionnaire_id: form.questionnaire_id,
        questionnaire_hash: hash,
        answers: form.questions.map(({ question_id }) => ({ question_id, answer: toAnswerList(values[question_id]) })),
      }),
    onSuccess: () => {
      setSent(true);
      if (window.parent !== window) window.parent.postMessage(SUBMITTED_MESSAGE, window.location.origin);
    },
    onError: reportError,
  });
  if (sent) return <Result status="success" title="提交成功，感谢您的填写" />;
  return (
    <Card title={form.questionnaire_title} style={{ maxWidth: 900, margin: '0 auto', minHeight: '100%' }}>
      <p>{form.show_msg}</p>
      <Form layout="vertical" onFinish={(values: Record<string, SurveyAnswer>) => save.mutate(values)}>
        {form.questions.map((question, index) => (
          <Form.Item
            key={question.question_id}
            name={String(question.question_id)}
            label={`${index + 1}. ${question.question}`}
            required={question.required}
            rules={[{ validator: (_, value: SurveyAnswer) => validateAnswer(question, value) }]}
          >
            {renderControl(question)}
          </Form.Item>
        ))}
        <Button type="primary" htmlType="submit" size="middle" loading={save.isPending}>
          提交
        </Button>
      </Form>
    </Card>
  );
}

function toAnswerList(value: SurveyAnswer): string[] {
  if (Array.isArray(value)) return value;
  return value === undefined || value.trim() === '' ? [] : [value];
}

function validateAnswer(question: FormQuestion, value: SurveyAnswer): Promise<void> {
  if (!question.required && toAnswerList(value).length === 0) return Promise.resolve();
  const problem = describeProblem(kinds[question.kind] ?? 'text', value);
  return problem === null ? Promise.resolve() : Promise.reject(new Error(problem));
}

function renderControl({ kind, options, question }: FormQuestion) {
  if (kind === 1) return <Radio.Group options={options} />;
  if (kind === 2) return <Checkbox.Group options={options} />;
  if (kind === 3)
    return <Input inputMode="decimal" maxLength={6} placeholder="0-100" aria-label={question} style={{ width: 160 }} />;
  return <Input.TextArea rows={3} maxLength={1000} aria-label={question} />;
}
