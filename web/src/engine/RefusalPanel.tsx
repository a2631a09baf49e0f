import { Alert, Button } from 'antd';
import { useEffect } from 'react';
import { useTabs } from '../lib/tabs';
import { removeRefusals, useRefusals, type RefusedRecord } from './refusals';
import { allowsStatus, recordKey, type Row, type Screen } from './types';

interface RefusalPanelProps {
  screen: Screen;
  /** Records shown on the page. */
  rows: Row[];
  /** Restricts the panel to one record. */
  id?: number;
}

/** All causes for which actions were refused, and what leads on from each; it stays until it is closed or dealt with. */
export function RefusalPanel({ screen, rows, id }: RefusalPanelProps) {
  const ofScreen = useRefusals().filter((one) => one.screen === screen.name);
  const passed = ofScreen.filter((one) =>
    rows.some((row) => recordKey(screen, row) === one.id && hasChangedSince(screen, one, row)),
  );
  useEffect(() => {
    if (passed.length > 0)
      removeRefusals(
        screen.name,
        passed.map((one) => one.id),
      );
  });
  const shown = ofScreen.filter((one) => (id === undefined || one.id === id) && !passed.includes(one));
  if (shown.length === 0) return null;
  return (
    <div className="refusal-panel no-print">
      {shown.map((one) => (
        <Alert
          key={one.id}
          type="error"
          showIcon
          closable={{ onClose: () => removeRefusals(screen.name, [one.id]), 'aria-label': `关闭${one.serial}的提示` }}
          title={`${one.serial} ${one.action}未通过${one.reasons.length > 1 ? `，共 ${one.reasons.length} 个原因` : ''}`}
          description={<RefusalReasons of={one} />}
        />
      ))}
    </div>
  );
}

/**
 * Return whether the record was changed since, which makes the refused action obsolete. An older revision decides
 * nothing.
 */
function hasChangedSince(screen: Screen, { action, revision }: RefusedRecord, row: Row): boolean {
  const refused = screen.actions.find(({ label }) => label === action);
  return refused !== undefined && Number(row.revision) > Number(revision ?? 0) && !allowsStatus(refused, screen, row);
}

function RefusalReasons({ of }: { of: RefusedRecord }) {
  const tabs = useTabs();
  return (
    <ul className="refusal-reasons">
      {of.reasons.map(({ msg, ways }) => (
        <li key={msg}>
          {msg}
          {ways.map(({ label, route }) =>
            route === '' ? (
              <span key={label} className="refusal-hint">
                {label}
              </span>
            ) : (
              <Button
                key={label}
                type="link"
                size="small"
                onClick={() => tabs.open(route, label.replace(/^(打开|查看)/, ''))}
              >
                {label}
              </Button>
            ),
          )}
        </li>
      ))}
    </ul>
  );
}
