import { Timeline } from 'antd';
import { useQuery } from '@/lib/query';
import { formatField } from '../fields/fieldValue';
import { logQuery } from '../queries';
import type { Field, LogEntry, Row, Screen } from '../types';

/** The record's log, newest first, with changed values. */
export function LogTimeline({ screen, id }: { screen: Screen; id: number }) {
  const { data } = useQuery(logQuery(screen, id));
  if (!data || data.length === 0) return null;
  const items = data.map((entry) => ({
    key: entry.log_id,
    content: (
      <div className="log-entry">
        <span className="log-at">{entry.at}</span> <strong>{entry.user_name}</strong>
        {entry.imitator_name && `（${entry.imitator_name}）`} {entry.action_name}
        {entry.reason && <span className="log-reason">：{entry.reason}</span>}
        <LogChanges fields={screen.fields} entry={entry} />
      </div>
    ),
  }));
  return (
    <section className="log-timeline no-print">
      <h3>操作日志</h3>
      <Timeline items={items} />
    </section>
  );
}

function LogChanges({ fields, entry }: { fields: Field[]; entry: LogEntry }) {
  const { before, after } = entry;
  if (before === null || after === null) return null;
  const changed = fields.filter((field) => field.name in before && field.name in after && !field.hidden);
  const text = (field: Field, row: Row) => formatField(field, row) || '空';
  return (
    <ul className="log-changes">
      {changed.map((field) => (
        <li key={field.name}>
          {field.label}：{text(field, before)} → {text(field, after)}
        </li>
      ))}
    </ul>
  );
}
