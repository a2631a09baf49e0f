/** Where a figure of the console leads to: the report of what it adds up, filtered likewise. */
import { now, today } from '@/lib/businessClock';
import { DATE } from '@/lib/format';

type Filter = Record<string, string | number | null | undefined>;

function route(path: string, filter: Filter): string {
  const given = Object.entries(filter).filter(([, value]) => value !== null && value !== undefined && value !== 0 && value !== '');
  return `${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()}`;
}

const within = (field: string, [first, last]: Span) => ({ [`${field}_start`]: first, [`${field}_end`]: last });

/** The statuses of a bill that counts (已审核, 已关闭, 已锁定), as figures have it. */
const posted = { status: '2,4,5' };

export type Span = [first: string, last: string];

/** This month up to today. */
export function thisMonth(): Span {
  return [now().startOf('month').format(DATE), today()];
}

/** The lines of sales of some days. */
export const salesOf = (span: Span, filter: Filter = {}) => route('/report/salesdetrpt', { ...within('business_date', span), ...filter });
export const ordersOf = (span: Span, filter: Filter = {}) => route('/sales/salesorder', { ...within('business_date', span), ...posted, ...filter });
export const outboundOf = (span: Span, filter: Filter = {}) => route('/sales/salesout', { ...within('business_date', span), ...posted, ...filter });
export const receiptsOf = (span: Span, filter: Filter = {}) => route('/report/receiptdetrpt', { ...within('business_date', span), ...filter });
export const purchasesOf = (span: Span, filter: Filter = {}) => route('/report/purchasedetrpt', { ...within('business_date', span), ...filter });
/** Sales by company beside what was before. */
export const summaryOf = (span: Span, filter: Filter = {}) => route('/report/salesmulrpt', { ...within('day', span), ...filter });
/** The days themselves, each company's. */
export const daysOf = (span: Span, filter: Filter = {}) => route('/system/businessData', { ...within('day', span), ...filter });
