import { Alert, Descriptions, Spin } from 'antd';
import type { HookAPI } from 'antd/es/modal/useModal';
import { useEffect, useState, type ReactNode } from 'react';
import { showMessage } from '../lib/errors';

/** Before an act that no click takes back: what it will change, for whom, and how to undo it. Nothing asks otherwise. */

export interface Fact {
  label: string;
  value: string;
}

export interface Consequence {
  /** Change made by the act. */
  effect: string;
  undo: string;
  facts: Fact[];
  /** Reasons against the act. */
  warnings?: string[];
}

export interface ActConfirmation {
  title: string;
  okText?: string;
  danger?: boolean;
  /** Known in advance, or read from the server where it depends on stored data; null if the title is enough. */
  about: Consequence | (() => Promise<Consequence>) | null;
  /** Additional text or inputs. */
  content?: ReactNode;
  /** Reason why the act can't begin yet; null if nothing is missing. */
  missingReason?: () => string | null;
}

/** Ask the user to confirm an act after showing its consequences; it can't be confirmed before they are loaded. */
export async function confirmAct(modal: HookAPI, act: ActConfirmation): Promise<boolean> {
  const place = `act-${(openedCount += 1)}`;
  const button = { danger: act.danger };
  const asks = typeof act.about === 'function';
  const dialog = modal.confirm({
    title: act.title,
    width: 520,
    className: place,
    okText: act.okText ?? '确定',
    cancelText: '取消',
    okButtonProps: { ...button, disabled: asks },
    content: (
      <>
        {act.about && <ConsequencePreview about={act.about} onSeen={() => enable()} />}
        {act.content}
      </>
    ),
    onOk: () => {
      const wanting = act.missingReason?.() ?? null;
      if (wanting === null) return undefined;
      showMessage('warning', wanting);
      return Promise.reject(new Error('answer missing'));
    },
  });
  const enable = () => {
    if (!asks) return;
    dialog.update({ okButtonProps: { ...button, disabled: false } });
    setTimeout(() => focusWhenEnabled(place), 0);
  };
  return dialog;
}

let openedCount = 0;

/** A button takes the focus once it can be pressed, unless something is filled in meanwhile. */
function focusWhenEnabled(place: string): void {
  const root = document.querySelector(`.${place}`);
  const focused = document.activeElement;
  if (root === null || (root.contains(focused) && focused instanceof HTMLElement && focused.matches('input, textarea')))
    return;
  root.querySelector<HTMLElement>('.ant-modal-confirm-btns .ant-btn:last-child')?.focus();
}

function ConsequencePreview({ about, onSeen }: { about: NonNullable<ActConfirmation['about']>; onSeen: () => void }) {
  const [seen, setSeen] = useState<Consequence | null>(typeof about === 'function' ? null : about);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    if (typeof about !== 'function') return;
    about().then(
      (found) => {
        setSeen(found);
        onSeen();
      },
      (error: unknown) => setFailure(error instanceof Error ? error.message : String(error)),
    );
    // eslint-disable-next-line react-hooks/exhaustive-deps -- asked once, when the dialog opens
  }, []);
  if (failure !== null) return <Alert type="error" showIcon title={failure} />;
  if (seen === null) return <Spin size="small" aria-label="正在查看后果" />;
  return <Consequences of={seen} />;
}

/** The consequences of an act, in rows. */
export function Consequences({ of }: { of: Consequence }) {
  return (
    <div className="foreseen">
      {of.warnings?.map((text) => (
        <Alert key={text} type="warning" showIcon title={text} />
      ))}
      <Descriptions
        size="small"
        bordered
        column={1}
        items={[
          { label: '将要发生', value: of.effect },
          // Before the facts, of which there may be more than the dialog shows at once.
          { label: '如何撤销', value: of.undo },
          ...of.facts,
        ].map(({ label, value }, key) => ({ key, label, children: value }))}
      />
    </div>
  );
}
