import { Alert, Button, Space } from 'antd';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { freeKeyboard, isKeyboardFree } from '../../lib/keyboard';
import { CHAIN, isDialogOpen, usePageKey } from '../../lib/pageKeys';
import { usePageActive, usePageRoute, useTabs } from '../../lib/tabs';
import { useActions } from '../actions';
import { printOnItsPage } from '../print/autoPrint';
import { fieldText } from '../fields/fieldValue';
import type { BillContext } from '../lines/billContext';
import { LineTable } from '../lines/LineTable';
import { useScreenLinks } from '../routes';
import { actionOf, type Row, type Screen } from '../types';
import { createForm, payloadOf, shippedOrders } from './formModel';
import { HeaderFields } from './HeaderFields';
import { ParkedDrafts } from './ParkedDrafts';
import type { Draft } from './draftShelf';
import { useComputedDate } from './useComputedDate';
import { useDayOfEntry } from './useDayOfEntry';
import { useDraft, valuesOf } from './useDraft';
import { useLineStock } from './useLineStock';
import { useProposedAmount } from './useProposedAmount';
import { useSave } from './useSave';
import { StopsButton } from './StopsButton';
import { useHeadStops } from './headStops';

export const FRESH = 'new';

interface FormBodyProps {
  screen: Screen;
  id: number | null;
  initial: Row;
  /** Whose draft it keeps; FRESH where nothing was filled in beforehand. */
  which: string;
  /** Begins the next new record. */
  onNext: () => void;
}

type Then = 'leave' | 'next' | 'audit';

/** The form proper; Ctrl+S saves. */
export function FormBody({ screen, id, initial, which, onNext }: FormBodyProps) {
  const [form, setForm] = useState(() => createForm(screen, initial));
  const [recalled, setRecalled] = useState(0);
  const page = useRef<HTMLDivElement>(null);
  const stops = useHeadStops(screen);
  const active = usePageActive();
  const content = useCallback(() => JSON.stringify(payloadOf(screen, form, null)), [screen, form]);
  const draft = useDraft(screen.name, which, form, content);
  const { save, saving } = useSave(screen, form, id);
  const { run, running } = useActions(screen);
  const leave = useLeave(screen);
  const context = useMemo<BillContext>(
    () => ({
      bill: screen.name,
      header: () => form.header.get().values,
      orders: () => shippedOrders(form),
      paid: screen.fields.some((field) => field.name === 'amount' && field.form),
    }),
    [screen, form],
  );
  useLineStock(screen, form, context);
  useProposedAmount(screen, form);
  useComputedDate(screen, form);
  useDayOfEntry(screen, form, id === null, draft);
  const audit = actionOf(screen, 'auditorPass');

  const submit = async (then: Then) => {
    const saved = await save();
    if (saved === null) {
      setTimeout(() => toProblem(page.current));
      return;
    }
    draft.settle();
    if (then === 'audit' && audit) {
      const outcome = await run(audit, [{ [screen.key]: saved.id, [screen.title_field]: saved.bill_no ?? initial[screen.title_field] }], { unasked: true });
      if (outcome.done) printOnItsPage(screen.name, saved.id);
    }
    if (then === 'next') onNext();
    else leave(saved.id);
  };

  usePageKey('save', active, () => void submit('leave'));
  usePageKey('audit', active && audit !== undefined, () => void submit('audit'));
  usePageKey('add', active && id === null, () => void submit('next'));

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
          {id !== null && title && <small>{fieldText(title, initial)}</small>}
        </h2>
        <Space size={6}>
          <Button type="primary" loading={saving} disabled={busy} className="form-save" title={CHAIN.save.combo} onClick={() => void submit('leave')}>
            保存
          </Button>
          {audit && (
            <Button type="primary" ghost disabled={busy} title={CHAIN.audit.combo} onClick={() => void submit('audit')}>
              保存并审核
            </Button>
          )}
          {id === null && (
            <Button disabled={busy} title={CHAIN.add.combo} onClick={() => void submit('next')}>
              保存并新增
            </Button>
          )}
          {id === null && screen.family === 'bill' && (
            <ParkedDrafts
              screen={screen.name}
              values={() => valuesOf(form)}
              onParked={() => {
                draft.settle();
                onNext();
              }}
              onRecall={which === FRESH ? recall : null}
              touched={draft.touched}
            />
          )}
          <StopsButton stops={stops} />
        </Space>
      </header>
      {screen.note && <Alert type="info" showIcon banner title={screen.note} />}
      {draft.found && (
        <FoundDraft
          key={draft.found.visit}
          draft={draft.found}
          overtaken={id !== null && draft.found.values.revision !== initial.revision}
          onRecall={(found) => {
            draft.answer(found);
            recall(found.values);
          }}
          onDiscard={(found) => {
            draft.answer(found);
            setTimeout(freeKeyboard);
          }}
        />
      )}
      <HeaderFields screen={screen} form={form} isStop={stops.isStop} begins={active} />
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

/** What was refused is looked at next, unless a list of it lies before it. */
function toProblem(page: HTMLElement | null): void {
  if (!page || !isKeyboardFree() || isDialogOpen()) return;
  const wrong = page.querySelector<HTMLElement>('.header-field:has(.field-problem) input, .header-field:has(.field-problem) textarea');
  (wrong ?? page.querySelector<HTMLElement>('.cell-input'))?.focus({ preventScroll: true });
}

interface FoundDraftProps {
  draft: Draft;
  /** Whether the record has been saved since the draft began. */
  overtaken: boolean;
  onRecall: (draft: Draft) => void;
  onDiscard: (draft: Draft) => void;
}

function FoundDraft({ draft, overtaken, onRecall, onDiscard }: FoundDraftProps) {
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
function useLeave(screen: Screen) {
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
