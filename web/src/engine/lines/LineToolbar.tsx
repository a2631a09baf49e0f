import { PlusOutlined, ShoppingCartOutlined } from '@ant-design/icons';
import { Button, Space } from 'antd';
import { lazy, memo, Suspense } from 'react';
import { GRID_SHORTCUTS } from '../../lib/pageShortcuts';
import type { ColumnControl } from '../list/columnPlan';
import { ColumnSettings } from '../list/ColumnSettings';
import type { Block, Pricing } from '../types';
import { suggestedPrice, type BillContext } from './billContext';
import { TYRE_NUMBERS_FIELD } from './columnLayout';
import { LineTotal } from './GridFrame';
import { fillGoods, goodsField, isBlankLine, hasWritableQuantity, newLine, typeCell } from './lineModel';
import type { LineStore } from './lineStore';
import { TyreNumbersButton } from './TyreNumbersButton';
import { ProposalButton } from './ProposalButton';
import { ScanBox } from './ScanBox';
import { SheetButton } from './SheetButton';
import type { PickedGoods } from '../pickers/GoodsPicker';
import { SourceButton } from '../pickers/SourceButton';

const GoodsPicker = lazy(() => import('../pickers/GoodsPicker'));

interface LineToolbarProps {
  store: LineStore;
  block: Block;
  pricing: Pricing | null;
  control: ColumnControl;
  context: BillContext;
  onAdd: () => void;
  activeRow: () => number;
  /** True while the goods picker is open. */
  picking: boolean;
  onPicking: (picking: boolean) => void;
}

/** Above the grid: new line, goods picker or source rows, scan field, columns. */
export const LineToolbar = memo(function LineToolbar(props: LineToolbarProps) {
  const { store, block, pricing, control, context, onAdd, activeRow, picking, onPicking } = props;
  const goods = goodsField(block);
  const total = block.fields.find((one) => one.name === pricing?.total);
  const numbers = block.fields.find((one) => one.name === TYRE_NUMBERS_FIELD && one.form && !one.masked);
  const take = (picked: PickedGoods[]) => {
    onPicking(false);
    if (!goods) return;
    const places = ({ row, quantity }: PickedGoods) =>
      (row.places?.length ? row.places : [undefined]).map((place) => ({ row, quantity, place }));
    const added = picked.flatMap(places).map(({ row, quantity, place }) => {
      const line = fillGoods(newLine(store.fields), {
        fields: store.fields,
        field: goods,
        pricing,
        goods: row,
        price: suggestedPrice(row),
        place,
      });
      const field = store.fields.find((one) => one.name === pricing?.quantity);
      return field ? typeCell(line, field, quantity, pricing).line : line;
    });
    store.set((lines) => [...lines.filter((line) => !isBlankLine(store.fields, line)), ...added]);
  };
  return (
    <div className="line-toolbar">
      <Space size={6} wrap>
        <strong>{block.label}</strong>
        {store.grows && (
          <Button icon={<PlusOutlined />} tabIndex={-1} onClick={onAdd}>
            新增行
          </Button>
        )}
        {goods && store.grows && (
          <Button
            icon={<ShoppingCartOutlined />}
            tabIndex={-1}
            title={GRID_SHORTCUTS.goods.combo}
            onClick={() => onPicking(true)}
          >
            选择商品
          </Button>
        )}
        {numbers && <TyreNumbersButton store={store} field={numbers} pricing={pricing} activeRow={activeRow} />}
        {store.grows && <SheetButton store={store} block={block} pricing={pricing} context={context} />}
        {block.source && (
          <SourceButton block={block} source={block.source} store={store} context={context} pricing={pricing} />
        )}
        {block.proposals?.map((proposal) => (
          <ProposalButton
            key={proposal.api}
            proposal={proposal}
            store={store}
            context={context}
            pricing={pricing}
            goods={goods}
          />
        ))}
        {goods && hasWritableQuantity(block.fields, pricing) && store.grows && (
          <ScanBox store={store} goods={goods} pricing={pricing} context={context} />
        )}
      </Space>
      <Space size={6}>
        {total && <LineTotal store={store} field={total} />}
        {goods && (
          <span className="line-hint">
            回车下一格 · {store.grows && 'Ctrl+回车下一行 · '}Alt+2 数量 · {pricing && 'Alt+3 单价 · '}F1 按键表 · 可从
            Excel 粘贴
          </span>
        )}
        <ColumnSettings control={control} />
      </Space>
      {picking && (
        <Suspense>
          <GoodsPicker context={context} onPick={take} onClose={() => onPicking(false)} />
        </Suspense>
      )}
    </div>
  );
});
