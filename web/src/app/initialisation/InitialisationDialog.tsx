/** 系统初始化: goods, stock and customers from three sheets, one after the other. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Alert, App, Button, Flex, Modal, Progress, Steps } from 'antd';
import { useRef, useState } from 'react';
import type { Preview, InitialisationProgress as Task } from '@/gen';
import { confirmAct } from '@/engine/consequenceDialog';
import { FileInput } from '@/engine/FileInput';
import { PreviewPanel } from '@/engine/upload/PreviewPanel';
import { uploadSheet } from '@/engine/upload/uploadSheet';
import { api } from '@/lib/api';
import { reportError, showMessage } from '@/lib/errors';
import { useQuery } from '@/lib/query';
import { saveFile } from '@/lib/saveFile';
import { companyInfoQuery, isProcessing, STEPS, type InitialisationStep } from './steps';

interface ChosenSheet {
  step: InitialisationStep;
  file: File;
  preview: Preview;
}

export default function InitialisationDialog({ companyId, onClose }: { companyId: number; onClose: () => void }) {
  const client = useQueryClient();
  const { modal } = App.useApp();
  const { data } = useQuery(companyInfoQuery(companyId, true));
  const [chosen, setChosen] = useState<ChosenSheet | null>(null);
  const state = data?.is_initialization ?? 0;
  const again = () => client.invalidateQueries({ queryKey: ['company', 'initialisation'] });

  const look = useMutation({
    mutationFn: async ({ step, file }: Omit<ChosenSheet, 'preview'>): Promise<ChosenSheet> => {
      const preview = await uploadSheet<Preview>(
        'open/Initialization/preview',
        buildSheetForm(file, companyId, step.name),
      );
      return { step, file, preview };
    },
    onSuccess: setChosen,
    onError: reportError,
  });
  const send = useMutation({
    mutationFn: ({ step, file }: ChosenSheet) => uploadSheet(step.path, buildSheetForm(file, companyId)),
    onSuccess: () => {
      setChosen(null);
      showMessage('success', '上传成功，正在处理');
      void again();
    },
    onError: reportError,
  });
  const skip = useMutation({
    mutationFn: (step: InitialisationStep) =>
      api.post('open/Initialization/skip', { company_id: companyId, step: step.name }),
    onSuccess: again,
    onError: reportError,
  });

  const askToSkip = async (step: InitialisationStep) => {
    const about = {
      effect: `不上传${step.label}，进入下一步`,
      undo: `不能退回；${step.label}以后可在各自的页面录入`,
      facts: [],
    };
    if (await confirmAct(modal, { title: `跳过“上传${step.label}”？`, okText: '确认跳过', about })) skip.mutate(step);
  };

  return (
    <Modal
      open
      title={data ? `系统初始化 · ${data.company_name}` : '系统初始化'}
      width={600}
      footer={null}
      onCancel={onClose}
      mask={{ closable: false }}
    >
      <Steps
        orientation="vertical"
        size="small"
        current={Math.min(Math.floor(state / 2), STEPS.length)}
        items={STEPS.map((step) => ({
          title: `上传${step.label}`,
          content: (
            <StepActions
              step={step}
              state={state}
              busy={look.isPending || send.isPending || skip.isPending}
              onFile={(file) => look.mutate({ step, file })}
              onSkip={() => void askToSkip(step)}
            />
          ),
        }))}
      />
      {chosen && (
        <PreviewPanel
          fileName={chosen.file.name}
          preview={chosen.preview}
          sending={send.isPending}
          onSend={() => send.mutate(chosen)}
          onCancel={() => setChosen(null)}
        />
      )}
      {!chosen && data?.task && <TaskState task={data.task} processing={isProcessing(state)} />}
    </Modal>
  );
}

function buildSheetForm(file: File, companyId: number, step?: string): FormData {
  const form = new FormData();
  form.append('excel', file);
  form.append('company_id', String(companyId));
  if (step) form.append('step', step);
  return form;
}

interface StepActionsProps {
  step: InitialisationStep;
  state: number;
  busy: boolean;
  onFile: (file: File) => void;
  onSkip: () => void;
}

function StepActions({ step, state, busy, onFile, onSkip }: StepActionsProps) {
  const input = useRef<HTMLInputElement>(null);
  const open = state === step.at && !busy;
  const template = async () =>
    saveFile(
      await api.download('open/Initialization/getTemplate', { step: step.name }),
      `${step.label}初始化模板.xlsx`,
    );
  return (
    <Flex gap={8} style={{ padding: '4px 0 12px' }}>
      <Button type="primary" disabled={!open} onClick={() => input.current?.click()}>
        上传{step.label}文件
      </Button>
      <Button type="link" onClick={() => void template().catch(reportError)}>
        下载模板
      </Button>
      {step.at > 0 && state === step.at && (
        <Button type="link" disabled={!open} onClick={onSkip}>
          没有{step.label}，跳过
        </Button>
      )}
      <FileInput ref={input} label={`选择${step.label}文件`} onFile={onFile} />
    </Flex>
  );
}

function TaskState({ task, processing }: { task: Task; processing: boolean }) {
  const percent = task.rows_total > 0 ? Math.floor((task.rows_done / task.rows_total) * 100) : 0;
  const failures = async () => {
    const [path = '', query = ''] = task.failures_url.split('?');
    const file = await api.download(path, Object.fromEntries(new URLSearchParams(query)));
    saveFile(file, `${task.step_name}失败明细.xlsx`);
  };
  if (processing) {
    return (
      <div role="status">
        <Progress percent={percent} status="active" />
        正在处理{task.step_name}：{task.rows_done} / {task.rows_total} 行
      </div>
    );
  }
  const counts = `${task.step_name}：新增 ${task.rows_taken} 行，已有 ${task.rows_known} 行，失败 ${task.rows_refused} 行`;
  return (
    <Alert
      type={task.rows_refused > 0 || task.message ? 'warning' : 'success'}
      showIcon
      title={task.message ?? counts}
      description={task.message ? counts : undefined}
      action={
        task.failures_url && (
          <Button size="small" onClick={() => void failures().catch(reportError)}>
            下载失败明细
          </Button>
        )
      }
    />
  );
}
