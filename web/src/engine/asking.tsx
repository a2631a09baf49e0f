import { Button, Radio, Space } from 'antd';
import type { HookAPI } from 'antd/es/modal/useModal';
import { useState } from 'react';
import { ApiError, type Failure, type Question } from '../lib/errors';

/** What the server asks before it goes on (362, 363), and what the user says to it. */

const BELOW_SAFETY = 362;
const MAY_CONTINUE = 363;

/** What was asked and answered so far. */
export interface Answers {
  /** The user was warned and goes on. */
  confirmed: boolean;
  /** Whether what is dated before a stocktake had been counted by it, by the questions that were asked. */
  answers?: Record<string, boolean>;
}

/** The bills of a batch that wait for an answer. */
export function askingOf(failures: Failure[]): Failure[] {
  return failures.filter((failure) => failure.code === MAY_CONTINUE);
}

/** The answers together with one more, of what bills of a batch ask; null where the user gives none. */
export async function answered(modal: HookAPI, answers: Answers, asking: Failure[]): Promise<Answers | null> {
  const warned = asking.filter((failure) => failure.asks !== 'counted');
  if (warned.length > 0 && !answers.confirmed) return (await mayPass(modal, warned)) ? { ...answers, confirmed: true } : null;
  const counted = asking.filter((failure) => failure.asks === 'counted');
  if (counted.length > 0) return withCounted(modal, answers, counted);
  return null;
}

/** The same of a single bill's refusal. */
export async function continued(modal: HookAPI, answers: Answers, error: unknown): Promise<Answers | null> {
  if (isStockWarning(error) && asksCounted(error.data)) return withCounted(modal, answers, [{ ...error.data, msg: error.msg }]);
  return !answers.confirmed && (await mayContinue(modal, error)) ? { ...answers, confirmed: true } : null;
}

export function isStockWarning(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.code === BELOW_SAFETY || error.code === MAY_CONTINUE);
}

/** What a write answers, once more with `confirmed` where the server asks and the user goes on; null where he doesn't. */
export async function asking<T>(modal: HookAPI, write: (more: { confirmed?: true }) => Promise<T>): Promise<T | null> {
  try {
    return await write({});
  } catch (error) {
    if (!isStockWarning(error)) throw error;
    return (await mayContinue(modal, error)) ? write({ confirmed: true }) : null;
  }
}

/** Each question has an answer of its own; what has moved meanwhile is another question, and asked about again. */
async function withCounted(modal: HookAPI, answers: Answers, asking: Pick<Failure, 'msg' | 'questions'>[]): Promise<Answers | null> {
  const questions = [...new Map(asking.flatMap((one) => one.questions ?? []).map((one) => [one.question, one])).values()];
  const told = questions.length > 1 ? await askEach(modal, questions) : await askOne(modal, questions, textsOf(asking));
  return told && { ...answers, answers: { ...answers.answers, ...told } };
}

type Told = Record<string, boolean>;

/** Counted, not counted, or neither said. */
function askOne(modal: HookAPI, questions: Question[], texts: string[]): Promise<Told | null> {
  const all = (counted: boolean) => Object.fromEntries(questions.map(({ question }) => [question, counted]));
  return new Promise((resolve) => {
    const dialog = modal.confirm({
      title: TITLE,
      content: [...paragraphs(texts), EFFECT],
      okText: COUNTED,
      cancelText: '取消',
      onOk: () => resolve(all(true)),
      onCancel: () => resolve(null),
      footer: (_, { OkBtn, CancelBtn }) => (
        <>
          <CancelBtn />
          <Button
            onClick={() => {
              dialog.destroy();
              resolve(all(false));
            }}
          >
            {UNCOUNTED}
          </Button>
          <OkBtn />
        </>
      ),
    });
  });
}

/** The same of several, which may differ; none is left without an answer. */
function askEach(modal: HookAPI, questions: Question[]): Promise<Told | null> {
  return new Promise((resolve) => {
    let told: Told = {};
    const dialog = modal.confirm({
      title: TITLE,
      width: 720,
      content: (
        <>
          <p>以下商品盘点时是否已盘在内？</p>
          <EachAnswered
            questions={questions}
            onTold={(next) => {
              told = next;
              dialog.update({ okButtonProps: { disabled: questions.some(({ question }) => next[question] === undefined) } });
            }}
          />
          {EFFECT}
        </>
      ),
      okText: '确定',
      okButtonProps: { disabled: true },
      cancelText: '取消',
      onOk: () => resolve(told),
      onCancel: () => resolve(null),
    });
  });
}

const TITLE = '盘点前的单据';
const [COUNTED, UNCOUNTED] = ['已盘在内', '未盘在内'];
const EFFECT = <p key="effect">已盘在内：库存保持盘点时的数量；未盘在内：在盘点数量上增减。</p>;

function EachAnswered({ questions, onTold }: { questions: Question[]; onTold: (told: Told) => void }) {
  const [told, setTold] = useState<Told>({});
  const tell = (more: Told) => {
    const next = { ...told, ...more };
    setTold(next);
    onTold(next);
  };
  const all = (counted: boolean) => tell(Object.fromEntries(questions.map(({ question }) => [question, counted])));
  return (
    <>
      <Space>
        <Button size="small" onClick={() => all(true)}>
          全部{COUNTED}
        </Button>
        <Button size="small" onClick={() => all(false)}>
          全部{UNCOUNTED}
        </Button>
      </Space>
      <ul className="each-answered">
        {questions.map(({ question, msg }) => (
          <li key={question}>
            <span>{msg}</span>
            <Radio.Group
              aria-label={msg}
              size="small"
              optionType="button"
              options={[
                { value: true, label: COUNTED },
                { value: false, label: UNCOUNTED },
              ]}
              value={told[question]}
              onChange={(event) => tell({ [question]: event.target.value as boolean })}
            />
          </li>
        ))}
      </ul>
    </>
  );
}

async function mayPass(modal: HookAPI, warned: Failure[]): Promise<boolean> {
  return modal.confirm({ title: '提示', content: paragraphs(textsOf(warned)), okText: '通过', cancelText: '取消' });
}

/** 362 stops with an alert; 363 asks whether to go on. */
async function mayContinue(modal: HookAPI, error: unknown): Promise<boolean> {
  if (!isStockWarning(error)) return false;
  const text = error.msg || `您好，您的库存 ${warehousesOf(error.data)} 已经低于该仓库的安全库存`;
  if (error.code === BELOW_SAFETY) {
    await modal.warning({ title: '提示', content: text, okText: '确定' });
    return false;
  }
  const question = /继续/.test(text) ? text : `${text}，是否继续？`;
  return modal.confirm({ title: '提示', content: question, okText: '继续', cancelText: '取消' });
}

function textsOf(failures: Pick<Failure, 'msg'>[]): string[] {
  return [...new Set(failures.map((failure) => failure.msg))];
}

function paragraphs(texts: string[]) {
  return texts.map((text) => <p key={text}>{text}</p>);
}

function asksCounted(data: unknown): data is { asks: 'counted'; questions: Question[] } {
  return typeof data === 'object' && data !== null && 'asks' in data && data.asks === 'counted';
}

function warehousesOf(data: unknown): string {
  const one = (item: unknown) =>
    typeof item === 'object' && item !== null && 'warehouse_name' in item ? String(item.warehouse_name) : '';
  return (Array.isArray(data) ? data.map(one) : [one(data)]).filter(Boolean).join('、');
}
