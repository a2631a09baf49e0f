import type { TableColumnType } from 'antd';
import { formatPrice, formatQuantity } from '../../lib/format';
import type { GoodsRow } from '../queries';

/**
 * The columns of the goods picker (spec/2-routes.md 3). What goods are chosen by (code, name, size, unit, how many there are and
 * for how much) is in sight on a screen of 1366 px; of the others those stay between that there is room for, the rest comes
 * behind, and last what is but another way of naming them.
 */

/** Width of the dialog's goods columns on a screen of 1366 px, beside the checkboxes and the quantities (px). */
export const GOODS_COLUMNS_WIDTH = 1120;
export const MARK_WIDTH = 40;
export const QUANTITY_WIDTH = 90;

type Column = TableColumnType<GoodsRow> & { width: number };
type ColumnRank = 'needed' | 'usual' | 'behind';

/** All of a goods in one cell, where there is no room for columns. */
export const GOODS_ON_PHONE: TableColumnType<GoodsRow> = {
  title: '商品',
  render: (_value, row) => (
    <>
      {row.goods_name}
      <small className="picked-more">
        {row.goods_num} · 可用 {formatQuantity(row.available_stocks)} · {formatPrice(row.unit_price)}
      </small>
    </>
  ),
};

const textColumn = (dataIndex: string, title: string, width: number): Column => ({
  dataIndex,
  title,
  width,
  ellipsis: true,
});
const figureColumn = (dataIndex: string, title: string, format: (value: unknown) => string): Column => ({
  dataIndex,
  title,
  width: 88,
  align: 'right',
  render: format,
});

const COLUMNS: [ColumnRank, Column][] = [
  ['needed', textColumn('goods_num', '商品编码', 120)],
  ['needed', textColumn('goods_name', '商品名称', 220)],
  ['usual', textColumn('brand_name', '品牌', 80)],
  ['usual', textColumn('goods_type_name', '类别', 90)],
  ['needed', textColumn('specification_type', '规格', 110)],
  ['usual', textColumn('pattern', '花纹', 90)],
  ['behind', textColumn('factory_code', '厂家编码', 120)],
  ['behind', textColumn('shorthand_code', '简码', 90)],
  ['behind', textColumn('logogram', '拼音首字母', 90)],
  ['needed', textColumn('unit_name', '单位', 50)],
  ['usual', textColumn('packs', '辅助单位', 90)],
  ['usual', textColumn('warehouse_name', '仓库', 110)],
  ['usual', textColumn('allocation_name', '库位', 90)],
  ['usual', textColumn('batch', '批次', 90)],
  ['needed', figureColumn('available_stocks', '可用库存', formatQuantity)],
  ['needed', figureColumn('stocks', '库存', formatQuantity)],
  ['needed', figureColumn('unit_price', '单价', formatPrice)],
  ['usual', textColumn('price_source', '价格来源', 90)],
  ['usual', textColumn('gift', '买赠', 130)],
  ['needed', figureColumn('last_price', '最近价', formatPrice)],
  ['usual', figureColumn('sale_price', '售价', formatPrice)],
];
const COST_COLUMN = figureColumn('cost_price', '成本价', formatPrice);

/** In their order and width; the cost's to whoever may see it. */
export function goodsColumns(costly: boolean): Column[] {
  const known: [ColumnRank, Column][] = costly ? [...COLUMNS, ['usual', COST_COLUMN]] : COLUMNS;
  let left =
    GOODS_COLUMNS_WIDTH - sumColumnWidths(known.filter(([rank]) => rank === 'needed').map(([, column]) => column));
  const seen = known.filter(([rank, { width }]) => {
    if (rank !== 'usual') return rank === 'needed';
    left -= width;
    return left >= 0;
  });
  const rest = known.filter((one) => !seen.includes(one));
  const behind = ([rank]: [ColumnRank, Column]) => rank === 'behind';
  return [...seen, ...rest.filter((one) => !behind(one)), ...rest.filter(behind)].map(([, column]) => column);
}

export const sumColumnWidths = (columns: TableColumnType<GoodsRow>[]): number =>
  columns.reduce((all, { width }) => all + Number(width ?? 0), 0);
