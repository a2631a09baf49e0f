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
  /** What the act changes. */
  effect: string;
  undo: string;
  facts: Fact[];
  /** What speaks against it. */
  warnings?: string[];
}

export interface Act {
  title: string;
  okText?: string;
  danger?: boolean;
  /** Known here, or asked of the server where it depends on what is stored; null where the question says all. */
  about: Consequence | (() => Promise<Consequence>) | null;
  /** What else is told, or filled in. */
  content?: ReactNode;
  /** Why the act can't begin yet; null where all that it needs is there. */
  wanting?: () => string | null;
}

/** Whether the user goes on, who has seen what the act will change; until that is there he can't. */
export async function confirmAct(modal: HookAPI, act: Act): Promise<boolean> {
  const place = `act-${(opened += 1)}`;
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
        {act.about && <Foreseen about={act.about} onSeen={() => enable()} />}
        {act.content}
      </>
    ),
    onOk: () => {
      const wanting = act.wanting?.() ?? null;
      if (wanting === null) return undefined;
      showMessage('warning', wanting);
      return Promise.reject(new Error('answer missing'));
    },
  });
  const enable = () => {
    if (!asks) return;
    dialog.update({ okButtonProps: { ...button, disabled: false } });
    setTimeout(() => focusIn(place), 0);
  };
  return dialog;
}

let opened = 0;

/** A button takes the focus once it can be pressed, unless something is filled in meanwhile. */
function focusIn(place: string): void {
  const root = document.querySelector(`.${place}`);
  const focused = document.activeElement;
  if (root === null || (root.contains(focused) && focused instanceof HTMLElement && focused.matches('input, textarea'))) return;
  root.querySelector<HTMLElement>('.ant-modal-confirm-btns .ant-btn:last-child')?.focus();
}

function Foreseen({ about, onSeen }: { about: NonNullable<Act['about']>; onSeen: () => void }) {
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

/** What an act changes, in rows. */
export function Consequences({ of }: { of: Consequence }) {
  return (
    <div className="foreseen">
      {of.warnings?.map((text) => <Alert key={text} type="warning" showIcon title={text} />)}
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
