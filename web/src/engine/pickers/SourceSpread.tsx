import { App, Button, Checkbox, Space } from 'antd';
import { useState } from 'react';
import { decimalOrZero, sumDecimals } from '../../lib/decimal';
import { formatMoney } from '../../lib/format';
import { confirmAct, Consequences } from '../consequenceDialog';
import type { BillContext } from '../lines/billContext';
import type { LineRow } from '../lines/lineModel';
import type { BlockSource } from '../types';
import { allocate, offset, sumSides, type OpenAmount } from './allocate';

/** Quantity or amount taken of each source row, by key. */
export type TakenParts = Map<string, string>;

/** An open item by its bill's number. */
interface NamedAmount extends OpenAmount<string> {
  name: string;
}

type SpreadRule = (items: NamedAmount[]) => TakenParts;

interface SourceSpreadProps {
  source: BlockSource;
  context: BillContext;
  taken: LineRow[];
  items: NamedAmount[];
  parts: TakenParts;
  onSpread: (parts: TakenParts) => void;
}

/** Takes many rows of a source at once, and says what is taken so far; money is settled once it was shown what of. */
export function SourceSpread({ source, context, taken, items, parts, onSpread }: SourceSpreadProps) {
  const { modal } = App.useApp();
  const settle = async (title: string, spread: SpreadRule) => {
    let chosen = spread(items);
    const credits = items.filter(({ key, open }) => chosen.has(key) && decimalOrZero(open).lt(0));
    const agreed = await confirmAct(modal, {
      title,
      okText: '分配',
      about: null,
      content: (
        <SettlementPreview
          items={items}
          spread={spread}
          canExcludeCredits={context.paid === true && credits.length > 0}
          onChange={(next) => (chosen = next)}
        />
      ),
    });
    if (agreed) onSpread(chosen);
  };
  if (source.drawn) {
    return (
      <Space className="picker-search">
        <Button onClick={() => onSpread(new Map(items.map((item) => [item.key, item.open])))}>全部选择</Button>
        <span>
          已选 {parts.size} 行，合计 {sumDecimals(parts.values()).toString()}
        </span>
      </Space>
    );
  }
  if (!context.paid) {
    const chosen = sumSides(parts.values());
    return (
      <Space className="picker-search">
        <Button onClick={() => void settle('自动冲抵', offset)}>自动冲抵（先到期先核销）</Button>
        <span>
          已选往来 {formatMoney(chosen.owed.toString())}，预款 {formatMoney(chosen.advanced.toString())}
        </span>
      </Space>
    );
  }
  const takenTotal = sumDecimals(taken.map((line) => line.values[source.takes]));
  const given = decimalOrZero(context.header()[source.takes]).minus(decimalOrZero(takenTotal.toString()));
  return (
    <Space className="picker-search">
      <Button
        disabled={given.lte(0)}
        onClick={() => void settle('按金额自动分配', (open) => allocate(open, given.toString()))}
      >
        按金额自动分配（先到期先核销）
      </Button>
      <Button onClick={() => void settle('全部核销', (open) => allocate(open, ''))}>全部核销</Button>
      <span>
        可核销 {formatMoney(given.toString())}，已选 {formatMoney(sumDecimals(parts.values()).toString())}
      </span>
    </Space>
  );
}

interface SettlementPreviewProps {
  items: NamedAmount[];
  spread: SpreadRule;
  /** True if returns, rebates and advances may be excluded. */
  canExcludeCredits: boolean;
  onChange: (parts: TakenParts) => void;
}

const MAX_SHOWN_ITEMS = 10;

/** Preview of a settlement: debts apart from credits; nothing is taken before it is confirmed. */
function SettlementPreview({ items, spread, canExcludeCredits: mayLeave, onChange }: SettlementPreviewProps) {
  const [credited, setCredited] = useState(true);
  const of = (credits: boolean) => spread(credits ? items : items.filter(({ open }) => decimalOrZero(open).gt(0)));
  const parts = of(credited);
  const taken = items.filter(({ key }) => parts.has(key));
  const side = (negative: boolean) => {
    const rows = taken.filter(({ open }) => decimalOrZero(open).lt(0) === negative);
    const names =
      rows
        .slice(0, MAX_SHOWN_ITEMS)
        .map(({ name }) => name)
        .join('、') + (rows.length > MAX_SHOWN_ITEMS ? '等' : '');
    return `${rows.length} 项，${formatMoney(sumDecimals(rows.map(({ key }) => parts.get(key) ?? '')).toString())}${names && `：${names}`}`;
  };
  return (
    <>
      <Consequences
        of={{
          effect: `核销 ${taken.length} 项，合计 ${formatMoney(sumDecimals(parts.values()).toString())}`,
          undo: '保存前可逐项修改或删除，审核后可反审核',
          facts: [
            { label: '欠款', value: side(false) },
            { label: '退货、返利、预款', value: side(true) },
          ],
        }}
      />
      {mayLeave && (
        <Checkbox
          checked={credited}
          onChange={({ target }) => {
            setCredited(target.checked);
            onChange(of(target.checked));
          }}
        >
          一并抵用退货、返利、预款
        </Checkbox>
      )}
    </>
  );
}
