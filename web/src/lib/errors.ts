/** What a user must see of an outcome; the shell subscribes and draws messages and the global error dialog. */
import { machineTime } from './businessClock';

/** A question, and what it is about. */
export interface Question {
  question: string;
  msg: string;
}

export interface Failure {
  index: number;
  serial: string;
  /** What of a line it is about. */
  field?: string;
  msg: string;
  /** 362 or 363 where a stock warning is the reason. */
  code?: number;
  /** What kind of questions it asks. */
  asks?: string;
  /** Each question that has an answer of its own. */
  questions?: Question[];
  /** Each cause by itself, with what can be done about it. */
  reasons?: { msg: string; ways: { label: string; route: string }[] }[];
}

export type Level = 'success' | 'info' | 'warning' | 'error';

/** A message, or with failures the dialog of a message and a table (序号, 单据号/序号, 失败原因). */
export interface ReportedError {
  level: Level;
  msg: string;
  failures: Failure[];
  /** Whether nothing at all went through. */
  nothing?: boolean;
  seconds: number;
}

/** Codes that never reach the server: the answer never came, or the request was given up. */
export const NETWORK = 0;

/** An answer other than success, with the server's own words. */
export class ApiError extends Error {
  constructor(
    readonly code: number,
    readonly msg: string,
    readonly data: unknown = null,
  ) {
    super(msg);
    this.name = 'ApiError';
  }
}

/** A request that we gave up ourselves. Its code is internal: an answer may say 404 too, and is then told. */
export class Cancelled extends ApiError {
  constructor(reason: string) {
    super(404, reason);
    this.name = 'Cancelled';
  }
}

export function isCancelled(error: unknown): boolean {
  return error instanceof Cancelled;
}

type Listener = (error: ReportedError) => void;

const listeners = new Set<Listener>();
const THROTTLE = 1000;
const UNTOLD = { text: '', at: 0 };
let last = UNTOLD;

/** The moment from which another warning may be told: one a second, none is lost. */
let nextWarning = 0;
let queued = 0;

function publish(notice: ReportedError): void {
  const now = machineTime();
  const text = `${notice.level}:${notice.msg}`;
  if (notice.failures.length === 0 && text === last.text && now - last.at < THROTTLE) return;
  last = { text, at: now };
  if (notice.level !== 'warning' || notice.failures.length > 0) return tell(notice);
  const ahead = nextWarning - now;
  // A clock that was set back holds no warning up.
  const waits = ahead <= THROTTLE * (queued + 1) ? Math.max(ahead, 0) : 0;
  nextWarning = now + waits + THROTTLE;
  if (waits === 0) return tell(notice);
  queued += 1;
  setTimeout(() => {
    queued -= 1;
    tell(notice);
  }, waits);
}

function tell(notice: ReportedError): void {
  for (const listener of listeners) listener(notice);
}

export function onReportedError(listener: Listener): () => void {
  // Whoever listens first has been told nothing yet.
  if (listeners.size === 0) [last, nextWarning] = [UNTOLD, 0];
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function showMessage(level: Level, msg: string, seconds = 3): void {
  publish({ level, msg, failures: [], seconds });
}

/** Opens the global error dialog; `done` counts what went through all the same. */
export function showFailures(msg: string, failures: Failure[], done: number): void {
  publish({ level: 'error', msg, failures, nothing: done === 0, seconds: 5 });
}

/** Shows any failure by its kind; a cancelled request says nothing, and neither does a login that ended (401). */
export function reportError(error: unknown): void {
  report(error, 'error');
}

/** The same, where a refusal is no more than a warning. */
export function reportWarning(error: unknown): void {
  report(error, 'warning');
}

function report(error: unknown, refused: Level): void {
  if (isCancelled(error) || (error instanceof ApiError && error.code === 401)) return;
  if (error instanceof ApiError) {
    const failures = failuresOf(error.data);
    const offline = error.code === NETWORK;
    publish({ level: offline ? 'error' : refused, msg: error.msg, failures, ...(failures.length > 0 && { nothing: true }), seconds: offline ? 5 : 3 });
    return;
  }
  publish({ level: 'error', msg: error instanceof Error ? error.message : String(error), failures: [], seconds: 5 });
}

function failuresOf(data: unknown): Failure[] {
  if (typeof data !== 'object' || data === null || !('failures' in data)) return [];
  return Array.isArray(data.failures) ? (data.failures as Failure[]) : [];
}
