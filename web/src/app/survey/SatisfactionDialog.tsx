/** 客户满意度调查: the seven questions q1 to q7. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Checkbox, Form, Input, Modal, Radio } from 'antd';
import type { SatisfactionQuestion } from '@/gen';
import { api } from '@/lib/api';
import { reportError, showMessage } from '@/lib/errors';
import { joinAnswer, describeProblem, type SurveyAnswer } from './satisfactionRules';

const OTHER_FIELD = 'q5_other';

interface Props {
  questions: SatisfactionQuestion[];
  onClose: () => void;
}

export default function SatisfactionDialog({ questions, onClose }: Props) {
  const client = useQueryClient();
  const [form] = Form.useForm<Record<string, SurveyAnswer>>();
  const save = useMutation({
    mutationFn: (values: Record<string, SurveyAnswer>) => {
      const answers = Object.fromEntries(
        questions.map(({ name, other }) => [name, joinAnswer(addOtherAnswer(values, name, other))]),
      );
      return api.postForMessage('v2/open/Survey/save', answers);
    },
    onSuccess: (message) => {
      showMessage('success', message);
      void client.invalidateQueries({ queryKey: ['questionnaires'] });
      onClose();
    },
    onError: reportError,
  });
  return (
    <Modal
      open
      title="客户满意度调查"
      width={720}
      okText="提交"
      confirmLoading={save.isPending}
      onOk={() => form.submit()}
      onCancel={onClose}
      mask={{ closable: false }}
    >
      <Form form={form} layout="vertical" onFinish={(values) => save.mutate(values)}>
        {questions.map((question, index) => (
          <Form.Item
            key={question.name}
            name={question.name}
            label={`${index + 1}. ${question.question}`}
            required
            extra={question.other && <OtherInput />}
            rules={[
              {
                validator: (_, value: SurveyAnswer) => {
                  const given = addOtherAnswer(
                    form.getFieldsValue(true) as Record<string, SurveyAnswer>,
                    question.name,
                    question.other,
                  );
                  const problem = describeProblem(question.kind, question.other ? given : value);
                  return problem === null ? Promise.resolve() : Promise.reject(new Error(problem));
                },
              },
            ]}
          >
            {renderControl(question)}
          </Form.Item>
        ))}
      </Form>
    </Modal>
  );
}

function OtherInput() {
  return (
    <Form.Item name={OTHER_FIELD} noStyle>
      <Input maxLength={100} placeholder="其他（请填写）" aria-label="其他" style={{ marginTop: 6 }} />
    </Form.Item>
  );
}

function addOtherAnswer(values: Record<string, SurveyAnswer>, name: string, other: boolean): SurveyAnswer {
  const value = values[name];
  const added = values[OTHER_FIELD];
  if (!other || typeof added !== 'string' || added.trim() === '') return value;
  return [...(Array.isArray(value) ? value : []), added];
}

function renderControl({ kind, options, question }: SatisfactionQuestion) {
  if (kind === 'single') return <Radio.Group options={options} />;
  if (kind === 'multiple') return <Checkbox.Group options={options} />;
  if (kind === 'score')
    return <Input inputMode="decimal" maxLength={6} placeholder="0-100" aria-label={question} style={{ width: 160 }} />;
  return <Input.TextArea rows={3} maxLength={1000} aria-label={question} />;
}
