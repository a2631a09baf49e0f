import { useMutation } from '@tanstack/react-query';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { requiresAuditToPrint } from '../../lib/companySettings';
import { reportError, showMessage } from '../../lib/errors';
import type { ActionOutcome } from '../actions';
import { EXPORT_STARTED } from '../list/useExport';
import { recordKey, type Action, type Row, type Screen } from '../types';
import { listAutoPrinted } from './autoPrint';
import { countLabels, type LabelCount } from './labelCounts';
import { MAX_DIRECT_BILLS, queuePrintTask } from './printCalls';

const PrintDialog = lazy(() => import('./PrintDialog'));
const LabelDialog = lazy(() => import('./LabelDialog'));

interface PrintActions {
  /** Bills can be printed; a large choice of them goes to the export tasks. */
  print: ((rows: Row[]) => void) | null;
  /** Prints bills just audited, whatever status the page still shows. */
  printAudited: (ids: number[]) => void;
  /** Labels of the goods that rows are, or have in their lines. */
  label: ((rows: Row[]) => void) | null;
  /** Opens the print preview where audited bills of this type are to be printed at once. */
  afterAction: (action: Action, rows: Row[], outcome: ActionOutcome) => void;
  dialog: ReactNode;
}

/** Printing of a screen's rows: as bills or as labels. */
export function usePrinting(screen: Screen, labels: boolean): PrintActions {
  const [ids, setIds] = useState<number[] | null>(null);
  const [pieces, setPieces] = useState<LabelCount[] | null>(null);
  const queueing = useMutation({
    mutationFn: (chosen: number[]) => queuePrintTask(screen, { ids: chosen, print_template_id: null }),
    onSuccess: () => showMessage('success', EXPORT_STARTED),
    onError: reportError,
  });
  const isBill = screen.family === 'bill';
  const printPassed = (chosen: number[]) =>
    chosen.length > MAX_DIRECT_BILLS ? queueing.mutate(chosen) : setIds(chosen);
  const print = (rows: Row[]) => {
    const waiting = rows.filter((row) => requiresAuditToPrint(screen.name, row));
    if (rows.length === 0) showMessage('warning', '请选择要打印的信息');
    else if (waiting.length > 0) showMessage('warning', `只打印已审核的单据，所选有${waiting.length}张未审核`);
    else printPassed(rows.map((row) => recordKey(screen, row)));
  };
  const label = (rows: Row[]) => {
    const found = countLabels(screen, rows);
    if (found.length === 0) showMessage('warning', '请选择商品');
    else setPieces(found);
  };
  const afterAction = (action: Action, rows: Row[], outcome: ActionOutcome) => {
    if (!isBill || !outcome.done || action.name !== 'auditorPass' || !listAutoPrinted().includes(screen.name)) return;
    const passed = rows.map((row) => recordKey(screen, row)).filter((id) => !outcome.failed.has(id));
    if (passed.length > 0) printPassed(passed);
  };
  const dialog = (
    <Suspense>
      {ids && <PrintDialog screen={screen} ids={ids} onClose={() => setIds(null)} />}
      {pieces && <LabelDialog pieces={pieces} onClose={() => setPieces(null)} />}
    </Suspense>
  );
  return { print: isBill ? print : null, printAudited: printPassed, label: labels ? label : null, afterAction, dialog };
}
