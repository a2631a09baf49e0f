import { PlusOutlined } from '@ant-design/icons';
import { Button, Flex } from 'antd';
import { NumberInput } from '@/engine/fields/NumberInput';
import { RefSelect } from '@/engine/fields/RefSelect';
import type { RefField } from '@/engine/types';
import type { Decimal } from '@/lib/decimal';

/** One way of paying. */
export interface Payment {
  mode?: number;
  name?: string;
  amount?: string;
}

interface PaymentsProps {
  field: RefField;
  payments: Payment[];
  /** Amount still to be paid; a newly selected payment method takes it. */
  remaining: Decimal;
  onChange: (payments: Payment[]) => void;
}

const MAX_PAYMENTS = 10;

/** The ways in which a customer pays, each with its amount. */
export function Payments({ field, payments, remaining: rest, onChange }: PaymentsProps) {
  const change = (index: number, changes: Payment) =>
    onChange(payments.map((one, place) => (place === index ? { ...one, ...changes } : one)));
  return (
    <Flex vertical gap={8}>
      {payments.map((payment, index) => (
        <Flex key={index} gap={8}>
          <div style={{ width: 220 }}>
            <RefSelect
              field={field}
              value={payment.mode}
              label={payment.name}
              onChange={(mode, name) =>
                change(index, {
                  mode: mode === null ? undefined : Number(mode),
                  name: name ?? undefined,
                  amount: payment.amount ?? (rest.gt(0) ? rest.toFixed(2) : undefined),
                })
              }
            />
          </div>
          <div style={{ width: 160 }}>
            <NumberInput
              kind={{ type: 'money', rule: 'Positive', bounds: null }}
              label="金额"
              value={payment.amount}
              onChange={(amount) => change(index, { amount })}
            />
          </div>
        </Flex>
      ))}
      {payments.length < MAX_PAYMENTS && (
        <div>
          <Button size="small" icon={<PlusOutlined />} onClick={() => onChange([...payments, {}])}>
            增加结算方式
          </Button>
        </div>
      )}
    </Flex>
  );
}
