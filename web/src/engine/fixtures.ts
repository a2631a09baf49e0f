import type { Field, Pricing, Screen } from './types';

/** Screens as the server describes them, for tests. */

export function buildField(marks: Partial<Field> & { name: string }): Field {
  return {
    label: marks.name,
    type: 'text',
    required: false,
    readonly: false,
    list: true,
    search: false,
    form: true,
    total: false,
    width: 120,
    max_length: null,
    default: null,
    options: null,
    ref: null,
    label_field: null,
    rule: null,
    bounds: null,
    masked: false,
    copied: true,
    hidden: false,
    ...marks,
  };
}

export function buildRefField(
  name: string,
  label: string,
  resource: string,
  title: string,
  marks: Partial<Field> = {},
): Field {
  const ref = {
    resource,
    api: `v2/test/${resource}`,
    value: `${resource}_id`,
    label: title,
    search: [title],
    filter_by: [],
    only: {},
  };
  return buildField({ name, label, type: 'ref', label_field: title, ...marks, ref: { ...ref, ...marks.ref } });
}

export const pricing: Pricing = {
  quantity: 'quantity',
  price: 'price',
  discount: 'discount_amount',
  tax_rate: 'tax_rate',
  amount: 'gross_amount',
  total: 'amount',
  tax: 'tax_amount',
  no_tax: 'no_tax_amount',
};

export const goodsLineFields: Field[] = [
  buildRefField('goods_id', '商品', 'goods', 'goods_name', { required: true, width: 240 }),
  buildField({ name: 'goods_num', label: '商品编码', form: false, readonly: true }),
  buildRefField('batch_id', '批次', 'goods_batch', 'batch', {
    ref: {
      resource: 'goods_batch',
      api: 'v2/test/goods_batch',
      value: 'batch_id',
      label: 'batch',
      search: ['batch'],
      filter_by: ['warehouse_id', 'goods_id'],
      only: {},
    },
  }),
  buildRefField('pack_unit_id', '辅单位', 'unit', 'pack_unit_name', { optional: true }),
  buildField({ name: 'pack_quantity', label: '件数', type: 'quantity', rule: 'positive', optional: true }),
  buildField({
    name: 'quantity',
    label: '数量',
    type: 'quantity',
    required: true,
    rule: 'positive',
    total: true,
    default: '0',
  }),
  buildField({ name: 'price', label: '单价', type: 'price', rule: 'Positive', default: '0' }),
  buildField({ name: 'discount_amount', label: '优惠金额', type: 'money', rule: 'Positive', default: '0' }),
  buildField({ name: 'tax_rate', label: '税率%', type: 'rate', rule: 'Positive', default: '13' }),
  buildField({ name: 'amount', label: '金额', type: 'money', form: false, readonly: true, total: true, default: '0' }),
  buildField({ name: 'tax_amount', label: '税额', type: 'money', form: false, readonly: true, total: true }),
  buildField({ name: 'no_tax_amount', label: '未税金额', type: 'money', form: false, readonly: true, total: true }),
  buildField({ name: 'is_gift', label: '赠品', type: 'bool', default: false }),
  buildField({ name: 'remark', label: '备注', max_length: 200 }),
];

const STATUS_OPTIONS = ['未审核', '已审核', '已作废', '已关闭', '已锁定'].map((label, index) => ({
  value: index + 1,
  label,
}));

export function buildBillScreen(marks: Partial<Screen> = {}): Screen {
  const lines = {
    name: 'lines',
    label: '商品明细',
    fields: goodsLineFields,
    required: true,
    source: null,
    takes_available: true,
  };
  return {
    name: 'sales_outbound',
    label: '销售出库单',
    family: 'bill',
    kind: 'list',
    api: 'v2/sales/SalesOutstock',
    key: 'bill_id',
    see_key: 'bill_id',
    title_field: 'bill_no',
    routes: {
      list: '/sales/salesout',
      add: '/sales/salesout/salesoutAdd',
      edit: '/sales/salesout/salesoutModify',
      see: '/sales/salesout/salesamend',
    },
    keep_alive: true,
    fields: [
      buildField({ name: 'bill_no', label: '单据号', form: false, readonly: true, search: true, width: 190 }),
      buildField({
        name: 'business_date',
        label: '业务日期',
        type: 'date',
        required: true,
        search: true,
        happened: true,
      }),
      buildField({
        name: 'status',
        label: '状态',
        type: 'enum',
        options: STATUS_OPTIONS,
        form: false,
        readonly: true,
        search: true,
      }),
      buildRefField('customer_id', '客户', 'customer', 'customer_name', { required: true, search: true }),
      buildRefField('warehouse_id', '仓库', 'warehouse', 'warehouse_name', { required: true, search: true }),
      buildField({ name: 'total_amount', label: '金额合计', type: 'money', form: false, readonly: true, total: true }),
      buildField({ name: 'remark', label: '备注', type: 'textarea', max_length: 200 }),
    ],
    line: lines,
    blocks: [lines],
    actions: [
      { name: 'add', label: '新增', scope: 'page', from: null, confirm: null, reason: false, danger: false },
      { name: 'edit', label: '修改', scope: 'row', from: [1], confirm: null, reason: false, danger: false },
      {
        name: 'del',
        label: '删除',
        scope: 'batch',
        from: [1],
        confirm: '确定删除所选信息？',
        reason: false,
        danger: true,
      },
      {
        name: 'auditorPass',
        label: '审核',
        scope: 'batch',
        from: [1],
        confirm: '确定审核所选单据？',
        reason: false,
        danger: false,
      },
      { name: 'antiAuditor', label: '反审核', scope: 'batch', from: [2], confirm: null, reason: false, danger: true },
      { name: 'export', label: '导出', scope: 'page', from: null, confirm: null, reason: false, danger: false },
    ],
    order: { key: 'bill_id', by: 'desc' },
    status_field: 'status',
    pricing,
    follow_ups: [],
    ...marks,
  };
}
