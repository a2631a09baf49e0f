import { Button } from 'antd';
import type { HookAPI } from 'antd/es/modal/useModal';
import { ApiError, type Failure } from '../lib/errors';

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

/** One answer for all that is asked at once; what has moved meanwhile is another question, and asked about again. */
async function withCounted(modal: HookAPI, answers: Answers, asking: Pick<Failure, 'msg' | 'question'>[]): Promise<Answers | null> {
  const counted = await askCounted(modal, textsOf(asking));
  if (counted === null) return null;
  return { ...answers, answers: { ...answers.answers, ...Object.fromEntries(asking.map(({ question }) => [question ?? '', counted])) } };
}

/** Counted, not counted, or neither said. */
function askCounted(modal: HookAPI, texts: string[]): Promise<boolean | null> {
  return new Promise((resolve) => {
    const dialog = modal.confirm({
      title: '盘点前的单据',
      content: [...paragraphs(texts), <p key="effect">已盘在内：库存保持盘点时的数量；未盘在内：在盘点数量上增减。</p>],
      okText: '已盘在内',
      cancelText: '取消',
      onOk: () => resolve(true),
      onCancel: () => resolve(null),
      footer: (_, { OkBtn, CancelBtn }) => (
        <>
          <CancelBtn />
          <Button
            onClick={() => {
              dialog.destroy();
              resolve(false);
            }}
          >
            未盘在内
          </Button>
          <OkBtn />
        </>
      ),
    });
  });
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

function asksCounted(data: unknown): data is { asks: 'counted'; question: string } {
  return typeof data === 'object' && data !== null && 'asks' in data && data.asks === 'counted';
}

function warehousesOf(data: unknown): string {
  const one = (item: unknown) =>
    typeof item === 'object' && item !== null && 'warehouse_name' in item ? String(item.warehouse_name) : '';
  return (Array.isArray(data) ? data.map(one) : [one(data)]).filter(Boolean).join('、');
}
