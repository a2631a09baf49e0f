/** Links from the console's figures to the filtered reports that add up to them. */
import { now, today } from '@/lib/businessClock';
import { DATE_FORMAT } from '@/lib/format';

type LinkFilter = Record<string, string | number | null | undefined>;

function buildRoute(path: string, filter: LinkFilter): string {
  const given = Object.entries(filter).filter(
    ([, value]) => value !== null && value !== undefined && value !== 0 && value !== '',
  );
  return `${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()}`;
}

const buildSpanFilter = (field: string, [first, last]: DaySpan) => ({
  [`${field}_start`]: first,
  [`${field}_end`]: last,
});

/** The statuses of a bill that counts (已审核, 已关闭, 已锁定), as figures have it. */
const POSTED_FILTER = { status: '2,4,5' };

export type DaySpan = [first: string, last: string];

/** This month up to today. */
export function thisMonth(): DaySpan {
  return [now().startOf('month').format(DATE_FORMAT), today()];
}

/** The lines of sales of some days. */
export const salesLink = (span: DaySpan, filter: LinkFilter = {}) =>
  buildRoute('/report/salesdetrpt', { ...buildSpanFilter('business_date', span), ...filter });
export const ordersLink = (span: DaySpan, filter: LinkFilter = {}) =>
  buildRoute('/sales/salesorder', { ...buildSpanFilter('business_date', span), ...POSTED_FILTER, ...filter });
export const outboundLink = (span: DaySpan, filter: LinkFilter = {}) =>
  buildRoute('/sales/salesout', { ...buildSpanFilter('business_date', span), ...POSTED_FILTER, ...filter });
export const receiptsLink = (span: DaySpan, filter: LinkFilter = {}) =>
  buildRoute('/report/receiptdetrpt', { ...buildSpanFilter('business_date', span), ...filter });
export const purchasesLink = (span: DaySpan, filter: LinkFilter = {}) =>
  buildRoute('/report/purchasedetrpt', { ...buildSpanFilter('business_date', span), ...filter });
/** Sales by company beside what was before. */
export const summaryLink = (span: DaySpan, filter: LinkFilter = {}) =>
  buildRoute('/report/salesmulrpt', { ...buildSpanFilter('day', span), ...filter });
/** The days themselves, each company's. */
export const daysLink = (span: DaySpan, filter: LinkFilter = {}) =>
  buildRoute('/system/businessData', { ...buildSpanFilter('day', span), ...filter });
