import {
  ApartmentOutlined,
  ArrowLeftOutlined,
  BarcodeOutlined,
  LeftOutlined,
  PrinterOutlined,
  RightOutlined,
} from '@ant-design/icons';
import { Button, Result, Space } from 'antd';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { describeAuditControls } from '../../lib/companySettings';
import { isCancelled } from '../../lib/errors';
import { useQuery } from '../../lib/query';
import { dispatchFocusLost, isFocusLost } from '../../lib/focusLoss';
import { BILL_SHORTCUTS, usePageShortcut } from '../../lib/pageShortcuts';
import { usePageActive, useTabs } from '../../lib/tabs';
import { useActions } from '../actions';
import { hasGoods } from '../print/labelCounts';
import { takeScheduledPrint } from '../print/autoPrint';
import { usePrinting } from '../print/usePrinting';
import { StatusTag } from '../fields/StatusTag';
import { infoQuery } from '../queries';
import { RefusalPanel } from '../RefusalPanel';
import { ScreenLoading } from '../ScreenLoading';
import { useScreenLinks } from '../routes';
import { RefetchWhenShown } from '../RefetchWhenShown';
import { findAction, allowsStatus, type Row, type Screen } from '../types';
import { BlockTable } from './BlockTable';
import { EffectsDrawer } from './EffectsDrawer';
import { FileButtons } from './FileButtons';
import { HeaderValues } from './HeaderValues';
import { LogTimeline } from './LogTimeline';
import { findMoneyForm } from './moneyForm';
import { useNeighbours } from './useNeighbours';
import { useNextPending } from './useNextPending';

/** One record: head, lines, log, and what its status allows. */
export default function DetailPage({ screen, id }: { screen: Screen; id: number }) {
  const infoResult = useQuery(infoQuery(screen, id));
  const { data: row, error, refetch } = infoResult;
  const links = useScreenLinks(screen);

  if (!row && error && !isCancelled(error)) {
    return (
      <Result
        status="warning"
        title={`${screen.label}加载失败`}
        subTitle={error.message}
        extra={[
          <Button key="list" onClick={links.list}>
            返回列表
          </Button>,
          <Button key="retry" type="primary" onClick={() => void refetch()}>
            重试
          </Button>,
        ]}
      />
    );
  }
  if (!row) {
    return (
      <>
        <RefetchWhenShown query={infoResult} />
        <ScreenLoading />
      </>
    );
  }
  return (
    <DetailSheet>
      <DetailHead screen={screen} id={id} row={row} />
      <RefusalPanel screen={screen} rows={[row]} id={id} />
      <HeaderValues screen={screen} row={row} />
      {screen.blocks.map((block) => (
        <BlockTable
          key={block.name}
          block={block}
          pricing={block.name === screen.line?.name ? screen.pricing : null}
          rows={(row[block.name] as Row[] | undefined) ?? []}
          all={screen.drill ? { label: screen.drill.label, open: () => void links.drill(row) } : undefined}
        />
      ))}
      <LogTimeline screen={screen} id={id} />
    </DetailSheet>
  );
}

/** A record has the keyboard as a whole, until a button of it is gone to. */
function DetailSheet({ children }: { children: ReactNode }) {
  const sheet = useRef<HTMLDivElement>(null);
  const active = usePageActive();
  useEffect(() => {
    if (active && isFocusLost()) sheet.current?.focus({ preventScroll: true });
  }, [active]);
  return (
    <div ref={sheet} tabIndex={-1} className="detail-page">
      {children}
    </div>
  );
}

/** Actions that later bills may prevent. */
const UNDO_ACTIONS = new Set(['antiAuditor', 'invalid']);
const VOID_STATUS = 3;
const EXCLUDED_ACTIONS = new Set(['add', 'edit', 'export']);

function DetailHead({ screen, id, row }: { screen: Screen; id: number; row: Row }) {
  const links = useScreenLinks(screen);
  const tabs = useTabs();
  const { run, running } = useActions(screen);
  const { print, printAudited: printPassed, label, afterAction, dialog } = usePrinting(screen, hasGoods(screen));
  const [effects, setEffects] = useState<{ why: string | null } | null>(null);
  const awaited = useRef(printPassed);
  const active = usePageActive();
  useEffect(() => {
    if (active && takeScheduledPrint(screen.name, id)) awaited.current([id]);
  }, [active, screen.name, id]);
  const { previous, next, step } = useNeighbours(screen, id);
  const go = (to: number | null) => {
    if (to === null) return;
    step(to);
    links.replaceSee(to);
  };
  const status = screen.fields.find((field) => field.name === screen.status_field);
  const edit = findAction(screen, 'edit');
  const audit = findAction(screen, 'auditorPass');
  const posted = Number(row.status) > 1;
  const act = async (action: Screen['actions'][number]) => {
    const outcome = await run(action, [row]);
    if (outcome.done && action.name === 'del') links.list();
    if (outcome.refusal && UNDO_ACTIONS.has(action.name)) setEffects({ why: outcome.refusal });
    afterAction(action, [row], outcome);
    // The button is gone that the act was begun with.
    setTimeout(dispatchFocusLost);
  };
  const mayEdit = edit !== undefined && links.hasForm && allowsStatus(edit, screen, row);
  const money = posted && Number(row.status) !== VOID_STATUS ? findMoneyForm(screen, row) : null;
  const leadOn = useNextPending(screen, links.replaceSee);
  const idle = active && running === null;
  const drawn = useRef<HTMLButtonElement>(null);
  usePageShortcut('audit', idle && audit !== undefined && allowsStatus(audit, screen, row), () => void act(audit!));
  usePageShortcut('edit', idle && mayEdit, () => links.edit(row));
  usePageShortcut('print', idle && print !== null, () => print?.([row]));
  usePageShortcut('money', idle && money !== null, () => tabs.open(money!.address, `新增${money!.label}单`));
  usePageShortcut('draw', idle && posted && screen.follow_ups.length > 0, () => drawn.current?.focus());
  usePageShortcut('add', idle && findAction(screen, 'add') !== undefined && links.hasForm, links.add);
  usePageShortcut('previous', idle && previous !== null, () => go(previous));
  usePageShortcut('next', idle && next !== null, () => go(next));
  usePageShortcut('pending', idle && leadOn !== null, () => leadOn?.(id));
  return (
    <header className="form-head no-print">
      <h2>
        <Button type="text" icon={<ArrowLeftOutlined />} aria-label="返回列表" onClick={links.list} />
        {screen.label}
        <small>{String(row[screen.title_field] ?? '')}</small>
        {status && <StatusTag field={status} row={row} />}
      </h2>
      <Space size={6} wrap>
        {screen.actions
          .filter((action) => !EXCLUDED_ACTIONS.has(action.name) && allowsStatus(action, screen, row))
          .map((action) => (
            <Button
              key={action.name}
              type={action.name === 'auditorPass' ? 'primary' : 'default'}
              danger={action.danger}
              title={
                action.name === 'auditorPass'
                  ? (describeAuditControls(screen.name, row.company_id) ?? BILL_SHORTCUTS.audit.combo)
                  : undefined
              }
              loading={running === action.name}
              disabled={running !== null}
              onClick={() => void act(action)}
            >
              {action.label}
            </Button>
          ))}
        {edit && mayEdit && (
          <Button title={BILL_SHORTCUTS.edit.combo} onClick={() => links.edit(row)}>
            {edit.label}
          </Button>
        )}
        {posted &&
          screen.follow_ups.map((up, at) => (
            <Button
              key={up.route}
              ref={at === 0 ? drawn : undefined}
              title={BILL_SHORTCUTS.draw.combo}
              onClick={() => links.follow(up, id)}
            >
              {up.label}
            </Button>
          ))}
        {money && (
          <Button title={BILL_SHORTCUTS.money.combo} onClick={() => tabs.open(money.address, `新增${money.label}单`)}>
            {money.label}
          </Button>
        )}
        {screen.family === 'bill' && (
          <Button icon={<ApartmentOutlined />} onClick={() => setEffects({ why: null })}>
            关联与流水
          </Button>
        )}
        <FileButtons screen={screen} id={id} row={row} />
        {screen.family === 'bill' && findAction(screen, 'add') && <Button onClick={() => links.copy(row)}>复制</Button>}
        {print && (
          <Button icon={<PrinterOutlined />} title={BILL_SHORTCUTS.print.combo} onClick={() => print([row])}>
            打印
          </Button>
        )}
        {label && (
          <Button icon={<BarcodeOutlined />} onClick={() => label([row])}>
            商品标签
          </Button>
        )}
        <Button
          icon={<LeftOutlined />}
          title={BILL_SHORTCUTS.previous.combo}
          disabled={previous === null}
          onClick={() => go(previous)}
        >
          上一条
        </Button>
        <Button title={BILL_SHORTCUTS.next.combo} disabled={next === null} onClick={() => go(next)}>
          下一条
          <RightOutlined />
        </Button>
        {leadOn && (
          <Button title={BILL_SHORTCUTS.pending.combo} onClick={() => leadOn(id)}>
            下一张待审
          </Button>
        )}
      </Space>
      {effects && (
        <EffectsDrawer screen={screen} id={id} refusalMessage={effects.why} onClose={() => setEffects(null)} />
      )}
      {dialog}
    </header>
  );
}
