/** Failures that a user must see: the shell subscribes and draws the global error dialog. */
export interface Failure {
  index: number;
  serial: string;
  msg: string;
}

export interface ReportedError {
  msg: string;
  failures: Failure[];
}

type Listener = (error: ReportedError) => void;

const listeners = new Set<Listener>();

export function reportError(error: ReportedError): void {
  for (const listener of listeners) listener(error);
}

export function onReportedError(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
