import { keepPreviousData, useQueryClient } from '@tanstack/react-query';
import { Input, Modal, Pagination, Space, Switch, Table, type TableColumnType } from 'antd';
import { useMemo, useState } from 'react';
import { showMessage } from '../../lib/errors';
import { isMasked } from '../../lib/decimal';
import { useQuery } from '../../lib/query';
import { useDebounced } from '../../lib/useDebounced';
import { filterKeys } from '../../lib/numberEntry';
import { useIsPhone } from '../../lib/useIsPhone';
import { useRestoreFocus } from '../../lib/useRestoreFocus';
import { QUANTITY_DECIMALS } from '../../lib/pricing';
import { buildGoodsQuery, type BillContext } from '../lines/billContext';
import { resolveCodes } from '../lines/resolveCodes';
import { RefSelect } from '../fields/RefSelect';
import { goodsQuery, type GoodsRow } from '../queries';
import { GOODS_ON_PHONE, goodsColumns, MARK_WIDTH, QUANTITY_WIDTH, sumColumnWidths } from './goodsColumns';
import { fetchForCurrentContext } from './typedChoice';
import { usePastedCodes } from './usePastedCodes';

export interface PickedGoods {
  row: GoodsRow;
  quantity: string;
}

interface GoodsPickerProps {
  context: BillContext;
  onPick: (picked: PickedGoods[]) => void;
  onClose: () => void;
}

const WIDTH = 1500;
const HEIGHT = 700;
/** Height of the dialog's parts around the rows (px). */
const DIALOG_CHROME = { desk: 280, phone: 236 };
const MIN_WIDTH = 280;
const MIN_HEIGHT = 200;
const PAGE_SIZE = 30;
const DEFAULT_QUANTITY = '1';
/** Search fields above the table and their share of the goods' own fields. */
const SEARCH_FIELDS = [
  { name: 'keyword', label: '编码 / 名称 / 规格 / 拼音 / 条码', width: 280 },
  { name: 'specification_type', label: '规格', width: 140 },
  { name: 'pattern', label: '花纹', width: 120 },
  { name: 'factory_code', label: '厂家编码', width: 140 },
];

const buildChoiceField = (
  name: string,
  label: string,
  resource: string,
  api: string,
  title: string,
  none: number | null,
) => ({
  name,
  label,
  required: false,
  ref: { resource, api, value: name, label: title, search: [title], filter_by: [], only: {}, none },
});
const CHOICE_FIELDS = [
  buildChoiceField('brand_id', '品牌', 'brand', 'v2/system/GoodsBrand', 'brand_name', -1),
  buildChoiceField('goods_type_id', '商品类型', 'goods_type', 'v2/system/GoodsType', 'goods_type_name', null),
];

/** Goods with stock and prices, several at once, across pages. */
export default function GoodsPicker({ context, onPick, onClose }: GoodsPickerProps) {
  useRestoreFocus();
  const client = useQueryClient();
  const [search, setSearch] = useState<Record<string, string>>({});
  const [chosen, setChosen] = useState<Record<string, { id: number | null; label: string | null }>>({});
  const [inStock, setInStock] = useState(false);
  const [page, setPage] = useState(1);
  const [picked, setPicked] = useState<Map<number, PickedGoods>>(new Map());
  const debounced = useDebounced(search);
  const ids = Object.fromEntries(Object.entries(chosen).map(([name, { id }]) => [name, id ?? '']));
  const query = {
    ...buildGoodsQuery(context),
    ...debounced,
    ...ids,
    is_available_stocks: inStock ? 1 : '',
    page,
    per_page: PAGE_SIZE,
  };
  const { data, isFetching } = useQuery({ ...goodsQuery(query), placeholderData: keepPreviousData });

  const change = (rows: GoodsRow[]) =>
    setPicked(
      (before) =>
        new Map(rows.map((row) => [row.goods_id, before.get(row.goods_id) ?? { row, quantity: DEFAULT_QUANTITY }])),
    );
  const setQuantity = (row: GoodsRow, quantity: string) =>
    setPicked((before) =>
      new Map(before).set(row.goods_id, { row, quantity: filterKeys(quantity, 'limit', QUANTITY_DECIMALS) }),
    );
  usePastedCodes(async (rows) => {
    const codes = rows.map(({ code }) => code);
    const found = await fetchForCurrentContext(
      () => buildGoodsQuery(context),
      (narrow) => resolveCodes(client, codes, narrow),
    );
    const goodsOf = (code: string) => found.get(code) ?? found.get(code.toLowerCase());
    const pasted = rows.flatMap(({ code, quantity }): [number, PickedGoods][] => {
      const row = goodsOf(code);
      return row
        ? [
            [
              row.goods_id,
              { row, quantity: quantity ? filterKeys(quantity, 'limit', QUANTITY_DECIMALS) : DEFAULT_QUANTITY },
            ],
          ]
        : [];
    });
    setPicked((before) => new Map([...before, ...pasted]));
    return rows.map(({ code }) => code).filter((code) => !goodsOf(code));
  });
  const take = (some: Map<number, PickedGoods>) => {
    const taken = [...some.values()].filter(({ quantity }) => Number(quantity) > 0);
    if (taken.length === 0) showMessage('warning', '请选择商品');
    else onPick(taken);
  };
  const costly = data?.data.some((row) => isMasked(row.cost_price)) !== true;
  const phone = useIsPhone();
  const columns = useMemo(() => (phone ? [GOODS_ON_PHONE] : goodsColumns(costly)), [phone, costly]);
  const quantityColumn: TableColumnType<GoodsRow> = {
    title: '数量',
    width: QUANTITY_WIDTH,
    fixed: 'end',
    render: (_value, row) => (
      <Input
        className="figure"
        aria-label={`${row.goods_name} 数量`}
        value={picked.get(row.goods_id)?.quantity ?? ''}
        placeholder={DEFAULT_QUANTITY}
        onChange={(event) => setQuantity(row, event.target.value)}
        onClick={(event) => event.stopPropagation()}
      />
    ),
  };
  return (
    <Modal
      open
      centered
      title="选择商品"
      width={WIDTH}
      styles={{ container: { height: `min(${HEIGHT}px, 100vh)` } }}
      okText={picked.size > 0 ? `确定（${picked.size}）` : '确定'}
      onOk={() => take(picked)}
      onCancel={onClose}
      className="goods-picker"
    >
      <Space wrap className="picker-search">
        {(phone ? SEARCH_FIELDS.slice(0, 1) : SEARCH_FIELDS).map(({ name, label, width }) => (
          <Input
            key={name}
            allowClear
            autoFocus={name === 'keyword'}
            aria-label={label}
            placeholder={label}
            style={{ width }}
            value={search[name] ?? ''}
            onChange={(event) => {
              setPage(1);
              setSearch((before) => ({ ...before, [name]: event.target.value }));
            }}
          />
        ))}
        {CHOICE_FIELDS.map((field) => (
          <RefSelect
            key={field.name}
            field={field}
            allowNone
            value={chosen[field.name]?.id ?? null}
            label={chosen[field.name]?.label}
            onChange={(id, label) => {
              setPage(1);
              setChosen((before) => ({ ...before, [field.name]: { id: id as number | null, label } }));
            }}
          />
        ))}
        {!phone && <span className="line-hint">可从 Excel 粘贴编码和数量</span>}
        <label>
          <Switch checked={inStock} onChange={(on) => (setPage(1), setInStock(on))} /> 只看有货
        </label>
      </Space>
      <Table<GoodsRow>
        bordered
        virtual
        rowKey="goods_id"
        size="small"
        loading={isFetching}
        columns={[...columns, quantityColumn]}
        dataSource={data?.data ?? []}
        pagination={false}
        scroll={{
          x: phone ? MIN_WIDTH : sumColumnWidths(columns) + MARK_WIDTH + QUANTITY_WIDTH,
          y: Math.max(Math.min(HEIGHT, window.innerHeight) - DIALOG_CHROME[phone ? 'phone' : 'desk'], MIN_HEIGHT),
        }}
        rowSelection={{
          columnWidth: MARK_WIDTH,
          fixed: true,
          preserveSelectedRowKeys: true,
          selectedRowKeys: [...picked.keys()],
          onChange: (keys, rows) =>
            change(keys.map((key, at) => rows[at] ?? picked.get(Number(key))?.row).filter((row) => row !== undefined)),
        }}
        onRow={(row) => ({
          onDoubleClick: () =>
            take(new Map(picked).set(row.goods_id, picked.get(row.goods_id) ?? { row, quantity: DEFAULT_QUANTITY })),
        })}
      />
      <Pagination
        className="list-pagination"
        current={page}
        pageSize={PAGE_SIZE}
        total={data?.total ?? 0}
        showSizeChanger={false}
        showTotal={(total) => `共 ${total} 条`}
        onChange={setPage}
      />
    </Modal>
  );
}
