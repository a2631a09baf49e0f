import { useQueryClient } from '@tanstack/react-query';
import { App } from 'antd';
import { useCallback, useRef, useState } from 'react';
import { api, ApiError } from '../../lib/api';
import { reportError, showFailures, showMessage, type Failure } from '../../lib/errors';
import { writeWithConfirmation } from '../confirmation';
import { infoQuery } from '../queries';
import type { Screen } from '../types';
import { confirmFutureDates } from './futureDates';
import { validateForm, markFailures, buildPayload, type FormModel } from './formModel';

interface SaveAnswer {
  id: number;
  bill_no?: string | null;
}

/** Saves a form: checks it whole, sends it once however often it is asked to, marks what the server refuses. */
export function useSave(screen: Screen, form: FormModel, id: number | null) {
  const { modal } = App.useApp();
  const client = useQueryClient();
  const [saving, setSaving] = useState(false);
  const underWay = useRef(false);
  // Between the answer and the next page the form can still be clicked.
  const added = useRef<FormModel | null>(null);
  const save = useCallback(async (): Promise<SaveAnswer | null> => {
    if (underWay.current || added.current === form) return null;
    underWay.current = true;
    commitFocused();
    setSaving(true);
    try {
      // What was typed last and named nothing is told by its cell; the bill isn't saved without it.
      if ((await Promise.all(form.blocks.map(({ store }) => store.whenIdle()))).includes(false)) return null;
      const failures = validateForm(screen, form);
      if (failures.length > 0) {
        showFailureMessages(failures);
        return null;
      }
      const meant = await confirmFutureDates(modal, screen, form);
      if (meant === 'slip') return null;
      // The server asks about the same days, and about nothing else that a bill is saved with.
      const confirmation = meant === 'meant' ? { confirmed: true } : {};
      const path = `${screen.api}/${id === null ? 'add' : 'edit'}`;
      const saved = await writeWithConfirmation(modal, (more) =>
        api.post<SaveAnswer>(path, { ...buildPayload(screen, form, id), ...confirmation, ...more }),
      );
      if (saved === null) return null;
      if (id === null) added.current = form;
      showMessage('success', '保存成功');
      void client.invalidateQueries({ queryKey: [screen.name] });
      // Its page, where the next key may act on it, shows what was saved, in the revision that it has now.
      if (id !== null) await client.prefetchQuery({ ...infoQuery(screen, id), staleTime: 0 });
      return saved;
    } catch (error) {
      const failures = parseFailures(error);
      markFailures(screen, form, failures);
      reportError(error);
      return null;
    } finally {
      underWay.current = false;
      setSaving(false);
    }
  }, [screen, form, id, client, modal]);
  return { save, saving };
}

function showFailureMessages(failures: Failure[]): void {
  const [only] = failures;
  if (failures.length === 1 && only)
    showMessage('warning', only.serial.startsWith('第') ? `${only.serial}：${only.msg}` : only.msg);
  else showFailures(`有${failures.length}处需要修改`, failures, 0);
}

function parseFailures(error: unknown): Failure[] {
  const data = error instanceof ApiError ? error.data : null;
  if (typeof data !== 'object' || data === null || !('failures' in data) || !Array.isArray(data.failures)) return [];
  return data.failures as Failure[];
}

/** Commit what is being typed into a header field, for Ctrl+S. */
function commitFocused(): void {
  const focused = document.activeElement;
  if (!(focused instanceof HTMLElement) || focused === document.body) return;
  focused.blur();
  focused.focus({ preventScroll: true });
}
