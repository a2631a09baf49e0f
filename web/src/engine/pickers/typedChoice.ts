import { isCancelledError } from '@tanstack/react-query';
import { ApiError, type Query } from '../../lib/api';
import { isCancelled, NETWORK, reportError, showMessage } from '../../lib/errors';
import { holdKeys } from '../../lib/typeAhead';

/**
 * What a picker does with Enter: it chooses only what the typed words name, or what stood marked before the user's eyes. It never
 * takes a row that answers other words, however late or in whatever order the answers come.
 */

/** Nobody has read a list that came less than this (ms) ago. */
const READ = 250;
/** So long (ms) Enter waits for an answer. */
const PATIENCE = 10_000;
/** So often it asks anew where its question was given up by somebody else. */
const ATTEMPTS = 3;

/** Whether a list that came at `shownAt` can have been read by now. */
export function canBeRead(shownAt: number): boolean {
  return performance.now() - shownAt >= READ;
}

/** What the words name: the only row that the first of `names` that fits any says exactly, or the only row there is. */
export function meant<T>(rows: readonly T[], names: readonly ((row: T) => boolean)[]): T | undefined {
  for (const isNamed of names) {
    const named = rows.filter(isNamed);
    if (named.length > 0) return named.length === 1 ? named[0] : undefined;
  }
  return rows.length === 1 ? rows[0] : undefined;
}

/** Rows that are named exactly stand first, where the list begins. */
export function namedFirst<T>(rows: readonly T[], isNamed: (row: T) => boolean): T[] {
  return [...rows.filter(isNamed), ...rows.filter((row) => !isNamed(row))];
}

/** Whether a value is what was typed, but for case. */
export function sameText(value: unknown, text: string): boolean {
  return value !== null && value !== undefined && String(value).toLowerCase() === text.trim().toLowerCase();
}

interface Pending<T> {
  /** What is chosen from, and what was typed. */
  label: string;
  text: string;
  /** What narrows the choice at present. */
  narrow: () => Query;
  ask: (narrow: Query) => Promise<T[]>;
  pick: (rows: T[]) => T | undefined;
  /** Takes what was meant. */
  onTake: (row: T) => void;
  /** Nothing is chosen: of several nobody said which, or there is none, or no answer. */
  onRefuse: (why: 'several' | 'none' | 'unanswered') => void;
}

/**
 * Enter on words whose answer is still to come, for what narrows the choice by then. The keys behind it wait as well; answers
 * whether something was chosen, and how to give it up.
 */
export function awaitChoice<T>(pending: Pending<T>): { done: Promise<boolean>; giveUp: () => void } {
  let over = false;
  const end = (why: Parameters<Pending<T>['onRefuse']>[0], say?: () => void) => {
    if (over) return false;
    over = true;
    say?.();
    pending.onRefuse(why);
    return false;
  };
  let abandon!: (goesOn: boolean) => void;
  const abandoned = new Promise<boolean>((resolve) => (abandon = resolve));
  const giveUp = () => abandon(end('unanswered'));
  const answered = underPresent(pending.narrow, (narrow) => inTime(asked(() => (over ? Promise.resolve([]) : pending.ask(narrow)), () => over)))
    .then((rows) => {
      if (over) return false;
      const row = pending.pick(rows);
      if (row === undefined) return rows.length > 0 ? end('several') : end('none', () => showMessage('warning', `未找到${pending.label}：${pending.text}`));
      over = true;
      pending.onTake(row);
      return true;
    })
    .catch((error: unknown) =>
      end('unanswered', () => tellUnanswered(pending, error)),
    );
  const done = Promise.race([answered, abandoned]);
  holdKeys(done, giveUp);
  return { done, giveUp };
}

/**
 * What is answered for the surroundings (a bill's warehouse, partner, day) that hold once the answer is there: where they have
 * changed meanwhile, it answers another question, which is asked anew.
 */
export async function underPresent<N, T>(present: () => N, ask: (surroundings: N) => Promise<T>): Promise<T> {
  for (;;) {
    const asked = present();
    const [outcome] = await Promise.allSettled([ask(asked)]);
    if (JSON.stringify(present()) !== JSON.stringify(asked)) continue;
    if (outcome.status === 'fulfilled') return outcome.value;
    throw outcome.reason;
  }
}

/** What `work` answers, unless that takes too long. */
export function inTime<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new ApiError(NETWORK, '服务器没有应答')), PATIENCE);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Whoever looked on at the same question may leave, which ends it for all: then it is asked anew. */
async function asked<T>(ask: () => Promise<T>, isOver: () => boolean): Promise<T> {
  for (let left = ATTEMPTS; ; left--) {
    try {
      return await ask();
    } catch (error) {
      if (!isCancelledError(error) || isOver() || left === 0) throw error;
    }
  }
}

/** Where nobody looks at the list any more, that nothing was chosen is said. */
export function tellSeveral(label: string, text: string): void {
  showMessage('warning', `有多个${label}符合“${text}”，没有选上`);
}

/** That nothing came of what was typed, and why. */
export function tellUnanswered({ label, text }: { label: string; text: string }, error: unknown): void {
  if (!(error instanceof ApiError)) reportError(error);
  else if (!isCancelled(error)) showMessage('warning', `${error.msg}，${label}“${text}”没有选上`);
}
