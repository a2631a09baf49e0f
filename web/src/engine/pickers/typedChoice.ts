import { isCancelledError } from '@tanstack/react-query';
import { ApiError, type Query } from '../../lib/api';
import { isCancelled, NETWORK, reportError, showMessage } from '../../lib/errors';
import { queueKeysUntil } from '../../lib/typeAhead';

/**
 * What a picker does with Enter: it chooses only what the typed words name, or what stood marked before the user's eyes. It never
 * takes a row that answers other words, however late or in whatever order the answers come.
 */

/** Minimum display time (ms) before a list can have been read. */
const MIN_READING_TIME = 250;
/** Timeout (ms) for the answer that Enter waits for. */
const ANSWER_TIMEOUT = 10_000;
/** Maximum number of attempts when the query is cancelled by another observer. */
const MAX_ATTEMPTS = 3;

/** Return whether a list shown at `shownAt` can have been read by now. */
export function canBeRead(shownAt: number): boolean {
  return performance.now() - shownAt >= MIN_READING_TIME;
}

/** Return the only row that the first matching predicate of `names` matches exactly, or the only row there is. */
export function findUniqueMatch<T>(rows: readonly T[], names: readonly ((row: T) => boolean)[]): T | undefined {
  for (const isNamed of names) {
    const named = rows.filter(isNamed);
    if (named.length > 0) return named.length === 1 ? named[0] : undefined;
  }
  return rows.length === 1 ? rows[0] : undefined;
}

/** Rows that are named exactly stand first, where the list begins. */
export function sortNamedFirst<T>(rows: readonly T[], isNamed: (row: T) => boolean): T[] {
  return [...rows.filter(isNamed), ...rows.filter((row) => !isNamed(row))];
}

/** Return whether a value equals the typed text, ignoring case. */
export function isSameText(value: unknown, text: string): boolean {
  return value !== null && value !== undefined && String(value).toLowerCase() === text.trim().toLowerCase();
}

interface PendingChoice<T> {
  /** Label of the field, and the typed text. */
  label: string;
  text: string;
  /** Present filters of the choice. */
  narrow: () => Query;
  ask: (narrow: Query) => Promise<T[]>;
  pick: (rows: T[]) => T | undefined;
  /** Called with the chosen row. */
  onTake: (row: T) => void;
  /** Called if nothing is chosen: several matches, none, or no answer. */
  onRefuse: (why: 'several' | 'none' | 'unanswered') => void;
}

/**
 * Enter on words whose answer is still to come, for what narrows the choice by then. The keys behind it wait as well; answers
 * whether something was chosen, and how to give it up.
 */
export function awaitChoice<T>(pending: PendingChoice<T>): { done: Promise<boolean>; giveUp: () => void } {
  let over = false;
  const end = (why: Parameters<PendingChoice<T>['onRefuse']>[0], say?: () => void) => {
    if (over) return false;
    over = true;
    say?.();
    pending.onRefuse(why);
    return false;
  };
  let abandon!: (goesOn: boolean) => void;
  const abandoned = new Promise<boolean>((resolve) => (abandon = resolve));
  const giveUp = () => abandon(end('unanswered'));
  const answered = fetchForCurrentContext(pending.narrow, (narrow) =>
    withTimeout(
      retryCancelled(
        () => (over ? Promise.resolve([]) : pending.ask(narrow)),
        () => over,
      ),
    ),
  )
    .then((rows) => {
      if (over) return false;
      const row = pending.pick(rows);
      if (row === undefined)
        return rows.length > 0
          ? end('several')
          : end('none', () => showMessage('warning', `未找到${pending.label}：${pending.text}`));
      over = true;
      pending.onTake(row);
      return true;
    })
    .catch((error: unknown) => end('unanswered', () => warnUnanswered(pending, error)));
  const done = Promise.race([answered, abandoned]);
  queueKeysUntil(done, giveUp);
  return { done, giveUp };
}

/** Fetch for the present context (a bill's warehouse, partner, day), and again if it has changed meanwhile. */
export async function fetchForCurrentContext<N, T>(present: () => N, ask: (surroundings: N) => Promise<T>): Promise<T> {
  for (;;) {
    const context = present();
    const [outcome] = await Promise.allSettled([ask(context)]);
    if (JSON.stringify(present()) !== JSON.stringify(context)) continue;
    if (outcome.status === 'fulfilled') return outcome.value;
    throw outcome.reason;
  }
}

/** Return what `work` resolves to, or reject on a timeout. */
export function withTimeout<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new ApiError(NETWORK, '服务器没有应答')), ANSWER_TIMEOUT);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Run a query again if another observer of it was unmounted, which cancels it for all. */
async function retryCancelled<T>(ask: () => Promise<T>, isOver: () => boolean): Promise<T> {
  for (let left = MAX_ATTEMPTS; ; left--) {
    try {
      return await ask();
    } catch (error) {
      if (!isCancelledError(error) || isOver() || left === 0) throw error;
    }
  }
}

/** Warn that several rows match and nothing was chosen, once the list is out of sight. */
export function warnAmbiguous(label: string, text: string): void {
  showMessage('warning', `有多个${label}符合“${text}”，没有选上`);
}

/** Show why the typed text led to no choice. */
export function warnUnanswered({ label, text }: { label: string; text: string }, error: unknown): void {
  if (!(error instanceof ApiError)) reportError(error);
  else if (!isCancelled(error)) showMessage('warning', `${error.msg}，${label}“${text}”没有选上`);
}
