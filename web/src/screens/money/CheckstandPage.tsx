/** 收银台: a customer pays at the counter for what is open, in one way or several; below is what was received. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button, Card, Flex, Typography } from 'antd';
import { lazy, Suspense, useMemo, useState } from 'react';
import { NumberInput } from '@/engine/fields/NumberInput';
import { RefSelect } from '@/engine/fields/RefSelect';
import ListPage from '@/engine/list/ListPage';
import { findRefField, type RefField, type Screen } from '@/engine/types';
import { api } from '@/lib/api';
import { decimalOrZero, isBlankOrZero, sumDecimals } from '@/lib/decimal';
import { reportError, showMessage } from '@/lib/errors';
import { formatMoney } from '@/lib/format';
import { getSession } from '@/lib/session';
import { OpenItems } from './OpenItems';
import { Payments, type Payment } from './Payments';

const PrintDialog = lazy(() => import('@/engine/print/PrintDialog'));
const RECEIPTS = 'v2/custom/CustomerReceipt';

interface Customer {
  id: number;
  name: string;
}

interface CollectAnswer {
  id: number;
  bill_no: string;
}

export default function CheckstandPage({ screen }: { screen: Screen }) {
  const [printed, print] = useState<number[]>([]);
  const receipts: Screen = useMemo(
    () => ({ ...screen, name: 'customer_receipt', label: '收款单', family: 'bill', api: RECEIPTS }),
    [screen],
  );
  const listed = useMemo(
    () => ({ ...screen, actions: screen.actions.filter(({ name }) => name === 'export') }),
    [screen],
  );
  const [customer, mode] = [findRefField(screen, 'customer_id'), findRefField(screen, 'receivables_mode_id')];
  const may = screen.actions.some(({ name }) => name === 'collect');
  return (
    <Flex vertical gap={12}>
      {may && customer && mode && (
        <CheckstandForm screen={screen} customerField={customer} modeField={mode} onCollected={print} />
      )}
      <ListPage screen={listed} params={{}} />
      <Suspense>
        {printed.length > 0 && <PrintDialog screen={receipts} ids={printed} onClose={() => print([])} />}
      </Suspense>
    </Flex>
  );
}

interface CheckstandFormProps {
  screen: Screen;
  customerField: RefField;
  modeField: RefField;
  onCollected: (ids: number[]) => void;
}

function CheckstandForm({ screen, customerField, modeField, onCollected }: CheckstandFormProps) {
  const company = getSession()?.company_id ?? 0;
  const [customer, choose] = useState<Customer>({ id: 0, name: '' });
  const [parts, setParts] = useState<Map<number, string>>(new Map());
  const [payments, setPayments] = useState<Payment[]>([{}]);
  const [waived, waive] = useState<string>();
  const client = useQueryClient();
  const [due, paid] = [sumDecimals(parts.values()), sumDecimals(payments.map(({ amount }) => amount))];
  const begin = (next: Customer) => {
    choose(next);
    setParts(new Map());
    setPayments([{}]);
    waive(undefined);
  };
  const collecting = useMutation({
    mutationFn: () =>
      api.post<CollectAnswer[]>(`${screen.api}/collect`, {
        company_id: company,
        customer_id: customer.id,
        payments: payments
          .filter(({ amount }) => !decimalOrZero(amount).isZero())
          .map(({ mode, amount }) => ({ receivables_mode_id: mode ?? 0, amount })),
        waived_amount: waived || '0',
        items: [...parts]
          .filter(([, amount]) => !isBlankOrZero(amount))
          .map(([settlement_id, amount]) => ({ settlement_id, amount })),
      }),
    onSuccess: (made) => {
      showMessage('success', `收款成功：${made.map((one) => one.bill_no).join('、')}`);
      begin({ id: 0, name: '' });
      void client.invalidateQueries({ predicate: (query) => query.queryKey[0] !== 'screen' });
      onCollected(made.map((one) => one.id));
    },
    onError: reportError,
  });
  const submit = () => {
    const wanting = payments.find(({ mode, amount }) => !mode !== decimalOrZero(amount).isZero());
    if (!customer.id) showMessage('warning', '请选择客户');
    else if (wanting) showMessage('warning', wanting.mode ? '请输入金额' : '请选择结算方式');
    else if (decimalOrZero(paid.toString()).isZero()) showMessage('warning', '请输入金额');
    else collecting.mutate();
  };
  return (
    <Card size="small" title="收款">
      <Flex vertical gap={12}>
        <div style={{ width: 320 }}>
          <RefSelect
            field={customerField}
            value={customer.id || undefined}
            label={customer.name}
            narrow={{ company_id: company }}
            onChange={(id, name) => begin({ id: Number(id ?? 0), name: name ?? '' })}
          />
        </div>
        {customer.id > 0 && (
          <OpenItems api={RECEIPTS} company={company} customer={customer.id} parts={parts} onChange={setParts} />
        )}
        <Payments
          field={modeField}
          payments={payments}
          remaining={decimalOrZero(due.toString()).minus(decimalOrZero(paid.toString())).minus(decimalOrZero(waived))}
          onChange={setPayments}
        />
        <Flex gap={8} align="center">
          <Typography.Text>抹零</Typography.Text>
          <div style={{ width: 120 }}>
            <NumberInput
              kind={{ type: 'money', rule: 'Positive', bounds: null }}
              label="抹零"
              value={waived}
              onChange={waive}
            />
          </div>
        </Flex>
        <Flex gap={16} align="center">
          <Button type="primary" loading={collecting.isPending} onClick={submit}>
            收款并打印
          </Button>
          <Typography.Text>
            核销 {formatMoney(due.toString())}，实收 {formatMoney(paid.toString())}
          </Typography.Text>
        </Flex>
      </Flex>
    </Card>
  );
}
