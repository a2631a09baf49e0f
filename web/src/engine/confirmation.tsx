import { Button, Radio, Space } from 'antd';
import type { HookAPI } from 'antd/es/modal/useModal';
import { useState } from 'react';
import { ApiError, type Failure, type Question } from '../lib/errors';

/** Confirmations that the server requires before it goes on (status 362 and 363), and the user's answers. */

const STOCK_WARNING_CODE = 362;
const CONFIRMATION_CODE = 363;

/** Confirmations given so far. */
export interface Confirmations {
  /** The user was warned and goes on. */
  confirmed: boolean;
  /** By question: whether what is dated before a stocktake had been counted by it. */
  answers?: Record<string, boolean>;
}

/** Return the bills of a batch that require a confirmation. */
export function filterUnconfirmed(failures: Failure[]): Failure[] {
  return failures.filter((failure) => failure.code === CONFIRMATION_CODE);
}

/** Ask for one more confirmation of a batch's bills and add it; null if the user gives none. */
export async function confirmBatch(
  modal: HookAPI,
  answers: Confirmations,
  unconfirmed: Failure[],
): Promise<Confirmations | null> {
  const warned = unconfirmed.filter((failure) => failure.asks !== 'counted');
  if (warned.length > 0 && !answers.confirmed)
    return (await confirmPass(modal, warned)) ? { ...answers, confirmed: true } : null;
  const counted = unconfirmed.filter((failure) => failure.asks === 'counted');
  if (counted.length > 0) return addCountedAnswers(modal, answers, counted);
  return null;
}

/** Ask for the confirmation that a single bill's refusal requires; null if the user gives none. */
export async function confirmRefusal(
  modal: HookAPI,
  answers: Confirmations,
  error: unknown,
): Promise<Confirmations | null> {
  if (isConfirmationRequest(error) && isCountedRequest(error.data))
    return addCountedAnswers(modal, answers, [{ ...error.data, msg: error.msg }]);
  return !answers.confirmed && (await confirmContinue(modal, error)) ? { ...answers, confirmed: true } : null;
}

export function isConfirmationRequest(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.code === STOCK_WARNING_CODE || error.code === CONFIRMATION_CODE);
}

/** Run a write, and again with `confirmed` if the server requires it and the user agrees; null if he doesn't. */
export async function writeWithConfirmation<T>(
  modal: HookAPI,
  write: (more: { confirmed?: true }) => Promise<T>,
): Promise<T | null> {
  try {
    return await write({});
  } catch (error) {
    if (!isConfirmationRequest(error)) throw error;
    return (await confirmContinue(modal, error)) ? write({ confirmed: true }) : null;
  }
}

/** Add the answers to each counted question. A question about what has moved meanwhile is a new one and asked again. */
async function addCountedAnswers(
  modal: HookAPI,
  answers: Confirmations,
  unconfirmed: Pick<Failure, 'msg' | 'questions'>[],
): Promise<Confirmations | null> {
  const questions = [
    ...new Map(unconfirmed.flatMap((one) => one.questions ?? []).map((one) => [one.question, one])).values(),
  ];
  const countedAnswers =
    questions.length > 1
      ? await promptEachCounted(modal, questions)
      : await promptCounted(modal, questions, distinctMessages(unconfirmed));
  return countedAnswers && { ...answers, answers: { ...answers.answers, ...countedAnswers } };
}

type CountedAnswers = Record<string, boolean>;

/** Ask one question: counted, not counted, or neither. */
function promptCounted(modal: HookAPI, questions: Question[], texts: string[]): Promise<CountedAnswers | null> {
  const all = (counted: boolean) => Object.fromEntries(questions.map(({ question }) => [question, counted]));
  return new Promise((resolve) => {
    const dialog = modal.confirm({
      title: COUNTED_TITLE,
      content: [...renderParagraphs(texts), COUNTED_EFFECT],
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

/** Ask several questions that may be answered differently; each needs an answer. */
function promptEachCounted(modal: HookAPI, questions: Question[]): Promise<CountedAnswers | null> {
  return new Promise((resolve) => {
    let countedAnswers: CountedAnswers = {};
    const dialog = modal.confirm({
      title: COUNTED_TITLE,
      width: 720,
      content: (
        <>
          <p>以下商品盘点时是否已盘在内？</p>
          <CountedQuestions
            questions={questions}
            onAnswer={(next) => {
              countedAnswers = next;
              dialog.update({
                okButtonProps: { disabled: questions.some(({ question }) => next[question] === undefined) },
              });
            }}
          />
          {COUNTED_EFFECT}
        </>
      ),
      okText: '确定',
      okButtonProps: { disabled: true },
      cancelText: '取消',
      onOk: () => resolve(countedAnswers),
      onCancel: () => resolve(null),
    });
  });
}

const COUNTED_TITLE = '盘点前的单据';
const [COUNTED, UNCOUNTED] = ['已盘在内', '未盘在内'];
const COUNTED_EFFECT = <p key="effect">已盘在内：库存保持盘点时的数量；未盘在内：在盘点数量上增减。</p>;

function CountedQuestions({
  questions,
  onAnswer: onTold,
}: {
  questions: Question[];
  onAnswer: (countedAnswers: CountedAnswers) => void;
}) {
  const [countedAnswers, setTold] = useState<CountedAnswers>({});
  const addAnswers = (more: CountedAnswers) => {
    const next = { ...countedAnswers, ...more };
    setTold(next);
    onTold(next);
  };
  const all = (counted: boolean) =>
    addAnswers(Object.fromEntries(questions.map(({ question }) => [question, counted])));
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
              value={countedAnswers[question]}
              onChange={(event) => addAnswers({ [question]: event.target.value as boolean })}
            />
          </li>
        ))}
      </ul>
    </>
  );
}

async function confirmPass(modal: HookAPI, warned: Failure[]): Promise<boolean> {
  return modal.confirm({
    title: '提示',
    content: renderParagraphs(distinctMessages(warned)),
    okText: '通过',
    cancelText: '取消',
  });
}

/** Show an alert on 362; ask whether to continue on 363. */
async function confirmContinue(modal: HookAPI, error: unknown): Promise<boolean> {
  if (!isConfirmationRequest(error)) return false;
  const text = error.msg || `您好，您的库存 ${formatWarehouses(error.data)} 已经低于该仓库的安全库存`;
  if (error.code === STOCK_WARNING_CODE) {
    await modal.warning({ title: '提示', content: text, okText: '确定' });
    return false;
  }
  const question = /继续/.test(text) ? text : `${text}，是否继续？`;
  return modal.confirm({ title: '提示', content: question, okText: '继续', cancelText: '取消' });
}

function distinctMessages(failures: Pick<Failure, 'msg'>[]): string[] {
  return [...new Set(failures.map((failure) => failure.msg))];
}

function renderParagraphs(texts: string[]) {
  return texts.map((text) => <p key={text}>{text}</p>);
}

function isCountedRequest(data: unknown): data is { asks: 'counted'; questions: Question[] } {
  return typeof data === 'object' && data !== null && 'asks' in data && data.asks === 'counted';
}

function formatWarehouses(data: unknown): string {
  const one = (item: unknown) =>
    typeof item === 'object' && item !== null && 'warehouse_name' in item ? String(item.warehouse_name) : '';
  return (Array.isArray(data) ? data.map(one) : [one(data)]).filter(Boolean).join('、');
}
