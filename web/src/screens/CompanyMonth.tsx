/** Choice of a company and a month, for the screens of a period. */
import { Space } from 'antd';
import type { Dayjs } from 'dayjs';
import { useMemo, useState } from 'react';
import { RefSelect } from '@/engine/fields/RefSelect';
import type { Field, Ref, Screen } from '@/engine/types';
import { now } from '@/lib/businessClock';
import { DatePicker } from '@/lib/DatePicker';
import { getSession } from '@/lib/session';

export interface Month {
  company_id: number;
  period: string;
}

interface CompanyMonthChoice {
  company: { id: number; name: string };
  period: Dayjs;
}

/** The user's own company and the month `back` months ago; `month` is what the calls take. */
export function useCompanyMonth(back: number) {
  const [choice, choose] = useState<CompanyMonthChoice>(() => {
    const session = getSession();
    return {
      company: { id: session?.company_id ?? 0, name: session?.company_name ?? '' },
      period: now().subtract(back, 'month').startOf('month'),
    };
  });
  const { company, period } = choice;
  const month: Month = useMemo(
    () => ({ company_id: company.id, period: period.format('YYYY-MM') }),
    [company.id, period],
  );
  return { choice, choose, month };
}

interface CompanyMonthProps {
  screen: Screen;
  label: string;
  choice: CompanyMonthChoice;
  onChange: (choice: CompanyMonthChoice) => void;
}

export function CompanyMonth({ screen, label, choice, onChange }: CompanyMonthProps) {
  const { company, period } = choice;
  const field = screen.fields.find(
    (item): item is Field & { ref: Ref } => item.name === 'company_id' && item.ref !== null,
  );
  return (
    <Space>
      {field && (
        <div style={{ width: 260 }}>
          <RefSelect
            field={field}
            value={company.id}
            label={company.name}
            onChange={(id, name) => onChange({ ...choice, company: { id: Number(id ?? 0), name: name ?? '' } })}
          />
        </div>
      )}
      <DatePicker
        picker="month"
        aria-label={label}
        allowClear={false}
        value={period}
        onChange={(chosen) => chosen && onChange({ ...choice, period: chosen })}
      />
    </Space>
  );
}

/** The list below such a form: what was done so far. */
export function useHistoryScreen(screen: Screen): Screen {
  return useMemo(() => ({ ...screen, actions: screen.actions.filter(({ name }) => name === 'export') }), [screen]);
}
