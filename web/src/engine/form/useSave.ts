import { useQueryClient } from '@tanstack/react-query';
import { App } from 'antd';
import { useCallback, useRef, useState } from 'react';
import { api, ApiError } from '../../lib/api';
import { reportError, showFailures, showMessage, type Failure } from '../../lib/errors';
import { asking } from '../asking';
import { infoQuery } from '../queries';
import type { Screen } from '../types';
import { askWhetherMeant } from './datedAhead';
import { checkForm, markFailures, payloadOf, type FormModel } from './formModel';

interface Saved {
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
  const save = useCallback(async (): Promise<Saved | null> => {
    if (underWay.current || added.current === form) return null;
    underWay.current = true;
    settleFocused();
    setSaving(true);
    try {
      // What was typed last and named nothing is told by its cell; the bill isn't saved without it.
      if ((await Promise.all(form.blocks.map(({ store }) => store.idle()))).includes(false)) return null;
      const failures = checkForm(screen, form);
      if (failures.length > 0) {
        tell(failures);
        return null;
      }
      const meant = await askWhetherMeant(modal, screen, form);
      if (meant === 'slip') return null;
      // The server asks about the same days, and about nothing else that a bill is saved with.
      const told = meant === 'meant' ? { confirmed: true } : {};
      const path = `${screen.api}/${id === null ? 'add' : 'edit'}`;
      const saved = await asking(modal, (more) => api.post<Saved>(path, { ...payloadOf(screen, form, id), ...told, ...more }));
      if (saved === null) return null;
      if (id === null) added.current = form;
      showMessage('success', '保存成功');
      void client.invalidateQueries({ queryKey: [screen.name] });
      // Its page, where the next key may act on it, shows what was saved, in the revision that it has now.
      if (id !== null) await client.prefetchQuery({ ...infoQuery(screen, id), staleTime: 0 });
      return saved;
    } catch (error) {
      const failures = failuresOf(error);
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

function tell(failures: Failure[]): void {
  const [only] = failures;
  if (failures.length === 1 && only) showMessage('warning', only.serial.startsWith('第') ? `${only.serial}：${only.msg}` : only.msg);
  else showFailures(`有${failures.length}处需要修改`, failures, 0);
}

function failuresOf(error: unknown): Failure[] {
  const data = error instanceof ApiError ? error.data : null;
  if (typeof data !== 'object' || data === null || !('failures' in data) || !Array.isArray(data.failures)) return [];
  return data.failures as Failure[];
}

/** What is being typed into a header field counts as typed when Ctrl+S comes. */
function settleFocused(): void {
  const focused = document.activeElement;
  if (!(focused instanceof HTMLElement) || focused === document.body) return;
  focused.blur();
  focused.focus({ preventScroll: true });
}
