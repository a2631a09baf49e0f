import { Alert, Button } from 'antd';
import { useTabs } from '../lib/tabs';
import { dropRefused, useRefused, type Refused } from './refusals';

interface RefusalPanelProps {
  /** The screen's name. */
  screen: string;
  /** Of one record only. */
  id?: number;
}

/** All causes for which actions were refused, and what leads on from each; it stays until it is closed or dealt with. */
export function RefusalPanel({ screen, id }: RefusalPanelProps) {
  const all = useRefused(screen);
  const shown = id === undefined ? Object.values(all) : [all[id]].filter((one) => one !== undefined);
  if (shown.length === 0) return null;
  return (
    <div className="refusal-panel no-print">
      {shown.map((one) => (
        <Alert
          key={one.id}
          type="error"
          showIcon
          closable={{ onClose: () => dropRefused(screen, [one.id]), 'aria-label': `关闭${one.serial}的提示` }}
          title={`${one.serial} ${one.action}未通过${one.reasons.length > 1 ? `，共 ${one.reasons.length} 个原因` : ''}`}
          description={<Reasons of={one} />}
        />
      ))}
    </div>
  );
}

function Reasons({ of }: { of: Refused }) {
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
              <Button key={label} type="link" size="small" onClick={() => tabs.open(route, label.replace(/^(打开|查看)/, ''))}>
                {label}
              </Button>
            ),
          )}
        </li>
      ))}
    </ul>
  );
}
