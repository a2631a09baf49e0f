import { Alert, Button, Space } from 'antd';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { dispatchFocusLost, isFocusLost } from '../../lib/focusLoss';
import { BILL_SHORTCUTS, isDialogOpen, usePageShortcut } from '../../lib/pageShortcuts';
import { usePageActive, usePageRoute, useTabs } from '../../lib/tabs';
import { useActions } from '../actions';
import { schedulePrint } from '../print/autoPrint';
import { formatField } from '../fields/fieldValue';
import type { BillContext } from '../lines/billContext';
import { LineTable } from '../lines/LineTable';
import { useScreenLinks } from '../routes';
import { findAction, type Row, type Screen } from '../types';
import { createForm, buildPayload, listShippedOrderLines } from './formModel';
import { HeaderFields } from './HeaderFields';
import { ParkedDrafts } from './ParkedDrafts';
import type { Draft } from './draftStorage';
import { useComputedDate } from './useComputedDate';
import { useEntryDate } from './useEntryDate';
import { useDraft, collectValues } from './useDraft';
import { useLineStock } from './useLineStock';
import { useProposedAmount } from './useProposedAmount';
import { useSave } from './useSave';
import { EnterStopsButton } from './EnterStopsButton';
import { useEnterStops } from './enterStops';

export const NEW_DRAFT = 'new';

interface FormBodyProps {
  screen: Screen;
  id: number | null;
  initial: Row;
  /** Key of the form's draft; NEW_DRAFT if nothing was prefilled. */
  draftKey: string;
  /** Begins the next new record. */
  onNext: () => void;
}

type AfterSave = 'leave' | 'next' | 'audit';

/** The form proper; Ctrl+S saves. */
export function FormBody({ screen, id, initial, draftKey: which, onNext }: FormBodyProps) {
  const [form, setForm] = useState(() => createForm(screen, initial));
  const [recalled, setRecalled] = useState(0);
  const page = useRef<HTMLDivElement>(null);
  const stops = useEnterStops(screen);
  const active = usePageActive();
  const content = useCallback(() => JSON.stringify(buildPayload(screen, form, null)), [screen, form]);
  const draft = useDraft(screen.name, which, form, content);
  const { save, saving } = useSave(screen, form, id);
  const { run, running } = useActions(screen);
  const leave = useLeaveForm(screen);
  const context = useMemo<BillContext>(
    () => ({
      bill: screen.name,
      header: () => form.header.get().values,
      orders: () => listShippedOrderLines(form),
      paid: screen.fields.some((field) => field.name === 'amount' && field.form),
    }),
    [screen, form],
  );
  useLineStock(screen, form, context);
  useProposedAmount(screen, form);
  useComputedDate(screen, form);
  useEntryDate(screen, form, id === null, draft);
  const audit = findAction(screen, 'auditorPass');

  const submit = async (then: AfterSave) => {
    const saved = await save();
    if (saved === null) {
      setTimeout(() => focusFirstProblem(page.current));
      return;
    }
    draft.settle();
    if (then === 'audit' && audit) {
      const outcome = await run(
        audit,
        [{ [screen.key]: saved.id, [screen.title_field]: saved.bill_no ?? initial[screen.title_field] }],
        { unasked: true },
      );
      if (outcome.done) schedulePrint(screen.name, saved.id);
    }
    if (then === 'next') onNext();
    else leave(saved.id);
  };

  usePageShortcut('save', active, () => void submit('leave'));
  usePageShortcut('audit', active && audit !== undefined, () => void submit('audit'));
  usePageShortcut('add', active && id === null, () => void submit('next'));

  // A bill that was saved since then is overwritten only by who was told so.
  const recall = (values: Row) => {
    setForm(createForm(screen, { ...initial, ...values, revision: initial.revision }));
    setRecalled(recalled + 1);
  };
  const busy = saving || running !== null;
  const title = screen.fields.find((field) => field.name === screen.title_field);
  return (
    <div ref={page} className="form-page">
      <header className="form-head">
        <h2>
          {id === null ? `新增${screen.label}` : `修改${screen.label}`}
          {id !== null && title && <small>{formatField(title, initial)}</small>}
        </h2>
        <Space size={6}>
          <Button
            type="primary"
            loading={saving}
            disabled={busy}
            className="form-save"
            title={BILL_SHORTCUTS.save.combo}
            onClick={() => void submit('leave')}
          >
            保存
          </Button>
          {audit && (
            <Button
              type="primary"
              ghost
              disabled={busy}
              title={BILL_SHORTCUTS.audit.combo}
              onClick={() => void submit('audit')}
            >
              保存并审核
            </Button>
          )}
          {id === null && (
            <Button disabled={busy} title={BILL_SHORTCUTS.add.combo} onClick={() => void submit('next')}>
              保存并新增
            </Button>
          )}
          {id === null && screen.family === 'bill' && (
            <ParkedDrafts
              screen={screen.name}
              values={() => collectValues(form)}
              onParked={() => {
                draft.settle();
                onNext();
              }}
              onRecall={which === NEW_DRAFT ? recall : null}
              isDirty={draft.touched}
            />
          )}
          <EnterStopsButton stops={stops} />
        </Space>
      </header>
      {screen.note && <Alert type="info" showIcon banner title={screen.note} />}
      {draft.found && (
        <DraftNotice
          key={draft.found.visit}
          draft={draft.found}
          isOutdated={id !== null && draft.found.values.revision !== initial.revision}
          onRecall={(found) => {
            draft.answer(found);
            recall(found.values);
          }}
          onDiscard={(found) => {
            draft.answer(found);
            setTimeout(dispatchFocusLost);
          }}
        />
      )}
      <HeaderFields screen={screen} form={form} isStop={stops.isStop} takesFocus={active} />
      {form.blocks.map(({ block, store }) => (
        <LineTable
          key={`${block.name}${recalled}`}
          name={screen.name}
          block={block}
          pricing={block.name === screen.line?.name ? screen.pricing : null}
          store={store}
          context={context}
        />
      ))}
    </div>
  );
}

/** Focus the first problem, unless the failure dialog is open. */
function focusFirstProblem(page: HTMLElement | null): void {
  if (!page || !isFocusLost() || isDialogOpen()) return;
  const wrong = page.querySelector<HTMLElement>(
    '.header-field:has(.field-problem) input, .header-field:has(.field-problem) textarea',
  );
  (wrong ?? page.querySelector<HTMLElement>('.cell-input'))?.focus({ preventScroll: true });
}

interface DraftNoticeProps {
  draft: Draft;
  /** True if the record has been saved since the draft began. */
  isOutdated: boolean;
  onRecall: (draft: Draft) => void;
  onDiscard: (draft: Draft) => void;
}

function DraftNotice({ draft, isOutdated: overtaken, onRecall, onDiscard }: DraftNoticeProps) {
  return (
    <Alert
      type={overtaken ? 'warning' : 'info'}
      showIcon
      title={`有 ${draft.at} 未保存的内容${overtaken ? '，但此后已有人修改并保存：恢复后再保存会覆盖那次修改' : ''}`}
      action={
        <Space>
          <Button size="small" type="primary" onClick={() => onRecall(draft)}>
            恢复
          </Button>
          <Button size="small" onClick={() => onDiscard(draft)}>
            丢弃
          </Button>
        </Space>
      }
    />
  );
}

/** To the saved record's page where there is one, else to the list; the form's tab goes once it has been left. */
function useLeaveForm(screen: Screen) {
  const links = useScreenLinks(screen);
  const tabs = useTabs();
  const route = usePageRoute();
  const active = usePageActive();
  const leaving = useRef(false);
  useEffect(() => {
    if (!active) return undefined;
    return () => {
      if (leaving.current) tabs.close(route);
    };
  }, [active, tabs, route]);
  return (id: number) => {
    const target = screen.routes.see ?? screen.routes.list;
    // Tabs of one second segment are one tab, which moves on by itself.
    leaving.current = route.split(/[/?]/)[2] !== target.split('/')[2];
    if (links.canSee) links.see({ [screen.key]: id });
    else links.list();
  };
}
