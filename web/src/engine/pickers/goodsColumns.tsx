import type { TableColumnType } from 'antd';
import { formatPrice, formatQuantity } from '../../lib/format';
import type { GoodsRow } from '../queries';

/**
 * The columns of the goods picker (spec/2-routes.md 3). What goods are chosen by (code, name, size, unit, how many there are and
 * for how much) is in sight on a screen of 1366 px; of the others those stay between that there is room for, the rest comes
 * behind, and last what is but another way of naming them.
 */

/** What the dialog has for them on such a screen, beside the marks and the quantities (px). */
export const ROOM = 1120;
export const MARK_WIDTH = 40;
export const QUANTITY_WIDTH = 90;

type Column = TableColumnType<GoodsRow> & { width: number };
type Rank = 'needed' | 'usual' | 'behind';

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

const text = (dataIndex: string, title: string, width: number): Column => ({ dataIndex, title, width, ellipsis: true });
const figure = (dataIndex: string, title: string, format: (value: unknown) => string): Column => ({ dataIndex, title, width: 88, align: 'right', render: format });

const COLUMNS: [Rank, Column][] = [
  ['needed', text('goods_num', '商品编码', 120)],
  ['needed', text('goods_name', '商品名称', 220)],
  ['usual', text('brand_name', '品牌', 80)],
  ['usual', text('goods_type_name', '类别', 90)],
  ['needed', text('specification_type', '规格', 110)],
  ['usual', text('pattern', '花纹', 90)],
  ['behind', text('factory_code', '厂家编码', 120)],
  ['behind', text('shorthand_code', '简码', 90)],
  ['behind', text('logogram', '拼音首字母', 90)],
  ['needed', text('unit_name', '单位', 50)],
  ['usual', text('packs', '辅助单位', 90)],
  ['usual', text('warehouse_name', '仓库', 110)],
  ['usual', text('allocation_name', '库位', 90)],
  ['usual', text('batch', '批次', 90)],
  ['needed', figure('available_stocks', '可用库存', formatQuantity)],
  ['needed', figure('stocks', '库存', formatQuantity)],
  ['needed', figure('unit_price', '单价', formatPrice)],
  ['usual', text('price_source', '价格来源', 90)],
  ['usual', text('gift', '买赠', 130)],
  ['needed', figure('last_price', '最近价', formatPrice)],
  ['usual', figure('sale_price', '售价', formatPrice)],
];
const COST = figure('cost_price', '成本价', formatPrice);

/** In their order and width; the cost's to whoever may see it. */
export function goodsColumns(costly: boolean): Column[] {
  const known: [Rank, Column][] = costly ? [...COLUMNS, ['usual', COST]] : COLUMNS;
  let left = ROOM - widthOf(known.filter(([rank]) => rank === 'needed').map(([, column]) => column));
  const seen = known.filter(([rank, { width }]) => {
    if (rank !== 'usual') return rank === 'needed';
    left -= width;
    return left >= 0;
  });
  const rest = known.filter((one) => !seen.includes(one));
  const behind = ([rank]: [Rank, Column]) => rank === 'behind';
  return [...seen, ...rest.filter((one) => !behind(one)), ...rest.filter(behind)].map(([, column]) => column);
}

export const widthOf = (columns: TableColumnType<GoodsRow>[]): number => columns.reduce((all, { width }) => all + Number(width ?? 0), 0);
