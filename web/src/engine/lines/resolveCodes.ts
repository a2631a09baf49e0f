import type { QueryClient } from '@tanstack/react-query';
import type { Query } from '../../lib/api';
import { goodsQuery, type GoodsRow } from '../queries';

/** The most codes asked for in one address. */
const CODES_PER_CALL = 300;

/** Goods by code as it is, lower-cased code, lower-cased barcode of it or a pack → row; one call for a paste of ordinary size. */
export async function resolveCodes(
  client: QueryClient,
  codes: string[],
  narrow: Query,
): Promise<Map<string, GoodsRow>> {
  const found = new Map<string, GoodsRow>();
  const rows = await fetchGoodsByCodes(client, codes, narrow);
  for (const goods of rows)
    for (const unit of goods.units ?? []) if (unit.barcode) found.set(unit.barcode.toLowerCase(), goods);
  for (const goods of rows) if (goods.barcode) found.set(goods.barcode.toLowerCase(), goods);
  for (const goods of rows) found.set(goods.goods_num.toLowerCase(), goods);
  for (const goods of rows) found.set(goods.goods_num, goods);
  return found;
}

/** All goods that a scanned code stands for: more than one where codes were given twice. */
export async function fetchScannedGoods(client: QueryClient, code: string, narrow: Query): Promise<GoodsRow[]> {
  return fetchGoodsByCodes(client, [code], narrow);
}

async function fetchGoodsByCodes(client: QueryClient, codes: string[], narrow: Query): Promise<GoodsRow[]> {
  const chunks = Array.from({ length: Math.ceil(codes.length / CODES_PER_CALL) }, (_, i) =>
    codes.slice(i * CODES_PER_CALL, (i + 1) * CODES_PER_CALL),
  );
  const answers = await Promise.all(
    chunks.map((chunk) => client.fetchQuery(goodsQuery({ ...narrow, codes: chunk.join(','), page: 1, per_page: 500 }))),
  );
  return answers.flatMap((answer) => answer.data);
}
