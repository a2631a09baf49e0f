import { infiniteQueryOptions } from '@tanstack/react-query';
import { api, type Query } from '../../lib/api';
import { decimalOrZero } from '../../lib/decimal';
import { shouldRetry } from '../queries';
import type { ListAnswer, Row } from '../types';

/** Stock of a goods in a warehouse: one row per batch and location, oldest first. */
interface BatchStock extends Row {
  batch_id: number;
  batch: string | null;
  allocation_id: number;
  available_stocks: string;
}

/** The batches that a warehouse has of a goods, as the pages that other choices come in. */
export function batchQuery(keyword: string, narrow: Query) {
  const { goods_id, warehouse_id, allocation_id, order_line_id } = narrow;
  return infiniteQueryOptions({
    queryKey: ['goods_batch', 'stocked', keyword, narrow],
    queryFn: async ({ signal }): Promise<ListAnswer> => {
      const rows = await api.get<BatchStock[]>(
        'v2/inventory/GoodsBatch/getBatchlist',
        { goods_id, warehouse_id, order_line_id },
        { signal },
      );
      const data = toBatchRows(
        rows.filter((row) => allocation_id === undefined || row.allocation_id === Number(allocation_id)),
        keyword,
      );
      return { data, total: data.length, current_page: 1, per_page: data.length, last_page: 1 };
    },
    initialPageParam: 1,
    getNextPageParam: () => undefined,
    // Stock moves while a bill is keyed in.
    staleTime: 5_000,
    meta: { quiet: true },
    retry: shouldRetry,
  });
}

function toBatchRows(rows: BatchStock[], keyword: string): Row[] {
  const found = new Map<number, Row>();
  for (const row of rows) {
    const label = row.batch ?? '无';
    if (!label.toLowerCase().includes(keyword.toLowerCase())) continue;
    const before = found.get(row.batch_id)?.available_stocks;
    const available = decimalOrZero(before).plus(decimalOrZero(row.available_stocks)).toString();
    found.set(row.batch_id, { batch_id: row.batch_id, batch: label, available_stocks: available });
  }
  return [...found.values()];
}
