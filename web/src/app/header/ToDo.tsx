/** Pending items and pending approvals, each leading to its list, and its newest bills, each opening. */
import { Empty, Tabs } from 'antd';
import { useState } from 'react';
import { useQuery } from '@/lib/query';
import { useTabs } from '@/lib/tabs';
import styles from './header.module.css';
import { approvalsQuery, sumWaiting, stripCount, type PendingApproval, type PendingItem } from './pendingQueries';

const APPROVAL = 1;

export default function ToDo({ items, onLeave }: { items: PendingItem[]; onLeave: () => void }) {
  const approvals = useQuery(approvalsQuery()).data ?? [];
  const others = items.filter((item) => item.type !== APPROVAL);
  const [chosen, setChosen] = useState<string>();
  const first = sumWaiting(others) === 0 && sumWaiting(approvals) > 0 ? 'approvals' : 'items';
  return (
    <div className={styles.todo}>
      <Tabs
        size="small"
        activeKey={chosen ?? first}
        onChange={setChosen}
        items={[
          {
            key: 'items',
            label: `待处理事项 ${sumWaiting(others)}`,
            children: <PendingLines lines={others.map(itemToLine)} onLeave={onLeave} />,
          },
          {
            key: 'approvals',
            label: `待审批 ${sumWaiting(approvals)}`,
            children: <PendingLines lines={approvals.map(approvalToLine)} onLeave={onLeave} />,
          },
        ]}
      />
    </div>
  );
}

interface PendingLine {
  id: string;
  text: string;
  url: string;
  bills: { bill_no: string; url: string }[];
}

const itemToLine = ({ id, content, url, bills = [] }: PendingItem): PendingLine => ({ id, text: content, url, bills });
const approvalToLine = ({ id, title, url, bills = [] }: PendingApproval): PendingLine => ({
  id,
  text: title,
  url,
  bills,
});

function PendingLines({ lines, onLeave }: { lines: PendingLine[]; onLeave: () => void }) {
  const tabs = useTabs();
  if (lines.length === 0) return <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="暂无待办" />;
  const open = (url: string, name: string) => () => {
    tabs.open(url, name);
    onLeave();
  };
  return (
    <ul>
      {lines.map(({ id, text, url, bills }) => (
        <li key={id}>
          <button type="button" onClick={open(url, stripCount(text))}>
            {text}
          </button>
          <div className={styles.bills}>
            {bills.map((bill) => (
              <button key={bill.url} type="button" onClick={open(bill.url, bill.bill_no)}>
                {bill.bill_no}
              </button>
            ))}
          </div>
        </li>
      ))}
    </ul>
  );
}
