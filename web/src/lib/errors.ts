/** Outcomes that are shown to the user; the shell subscribes and draws messages and the global error dialog. */
import { machineTime } from './businessClock';

/** A question, and what it is about. */
export interface Question {
  question: string;
  msg: string;
}

export interface Failure {
  index: number;
  serial: string;
  /** Field of a line. */
  field?: string;
  msg: string;
  /** 362 or 363 where a stock warning is the reason. */
  code?: number;
  /** Kind of the questions asked. */
  asks?: string;
  /** Each question that has an answer of its own. */
  questions?: Question[];
  /** Each cause by itself, with what can be done about it. */
  reasons?: { msg: string; ways: { label: string; route: string }[] }[];
}

export type NoticeLevel = 'success' | 'info' | 'warning' | 'error';

/** A message, or with failures the dialog of a message and a table (序号, 单据号/序号, 失败原因). */
export interface ReportedError {
  level: NoticeLevel;
  msg: string;
  failures: Failure[];
  /** True if nothing at all went through. */
  noneSucceeded?: boolean;
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

/** A request that was cancelled here. Its code is internal: a 404 of the server is shown, this isn't. */
export class CancelledError extends ApiError {
  constructor(reason: string) {
    super(404, reason);
    this.name = 'Cancelled';
  }
}

export function isCancelled(error: unknown): boolean {
  return error instanceof CancelledError;
}

type ErrorListener = (error: ReportedError) => void;

const listeners = new Set<ErrorListener>();
const THROTTLE_INTERVAL = 1000;
const NO_NOTICE = { text: '', at: 0 };
let lastNotice = NO_NOTICE;

/** Time from which another warning may be shown: one a second, none is lost. */
let nextWarningAt = 0;
let queuedWarnings = 0;

function publishNotice(notice: ReportedError): void {
  const now = machineTime();
  const text = `${notice.level}:${notice.msg}`;
  if (notice.failures.length === 0 && text === lastNotice.text && now - lastNotice.at < THROTTLE_INTERVAL) return;
  lastNotice = { text, at: now };
  if (notice.level !== 'warning' || notice.failures.length > 0) return notifyListeners(notice);
  const ahead = nextWarningAt - now;
  // A clock that was set back holds no warning up.
  const waits = ahead <= THROTTLE_INTERVAL * (queuedWarnings + 1) ? Math.max(ahead, 0) : 0;
  nextWarningAt = now + waits + THROTTLE_INTERVAL;
  if (waits === 0) return notifyListeners(notice);
  queuedWarnings += 1;
  setTimeout(() => {
    queuedWarnings -= 1;
    notifyListeners(notice);
  }, waits);
}

function notifyListeners(notice: ReportedError): void {
  for (const listener of listeners) listener(notice);
}

export function onReportedError(listener: ErrorListener): () => void {
  // Whoever listens first has been told nothing yet.
  if (listeners.size === 0) [lastNotice, nextWarningAt] = [NO_NOTICE, 0];
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function showMessage(level: NoticeLevel, msg: string, seconds = 3): void {
  publishNotice({ level, msg, failures: [], seconds });
}

/** Opens the global error dialog; `done` counts what went through all the same. */
export function showFailures(msg: string, failures: Failure[], done: number): void {
  publishNotice({ level: 'error', msg, failures, noneSucceeded: done === 0, seconds: 5 });
}

/** Shows any failure by its kind; a cancelled request says nothing, and neither does a login that ended (401). */
export function reportError(error: unknown): void {
  reportAtLevel(error, 'error');
}

/** Report an error, showing a refusal as a warning. */
export function reportWarning(error: unknown): void {
  reportAtLevel(error, 'warning');
}

function reportAtLevel(error: unknown, refused: NoticeLevel): void {
  if (isCancelled(error) || (error instanceof ApiError && error.code === 401)) return;
  if (error instanceof ApiError) {
    const failures = parseFailures(error.data);
    const offline = error.code === NETWORK;
    publishNotice({
      level: offline ? 'error' : refused,
      msg: error.msg,
      failures,
      ...(failures.length > 0 && { noneSucceeded: true }),
      seconds: offline ? 5 : 3,
    });
    return;
  }
  publishNotice({
    level: 'error',
    msg: error instanceof Error ? error.message : String(error),
    failures: [],
    seconds: 5,
  });
}

function parseFailures(data: unknown): Failure[] {
  if (typeof data !== 'object' || data === null || !('failures' in data)) return [];
  return Array.isArray(data.failures) ? (data.failures as Failure[]) : [];
}
