import type { QueryClient } from '@tanstack/react-query';
import { showFailures } from '../../lib/errors';
import { fetchForCurrentContext } from '../pickers/typedChoice';
import { buildGoodsQuery, suggestedPrice, type BillContext } from './billContext';
import type { LineStore } from './lineStore';
import { listPastedCodes, pasteLines, planPaste, type PasteTarget } from './pasteLines';
import { resolveCodes } from './resolveCodes';
import { parseTsv } from './tsv';

/** Pastes spreadsheet cells into the lines, goods looked up in one call; what is wrong is told in the failure table. */
export async function pasteCells(
  client: QueryClient,
  store: LineStore,
  text: string,
  target: PasteTarget,
  context: BillContext,
): Promise<void> {
  const plan = planPaste(parseTsv(text), target);
  const found = await fetchForCurrentContext(
    () => buildGoodsQuery(context),
    (narrow) => resolveCodes(client, listPastedCodes(plan, target.goods), narrow),
  );
  const result = pasteLines(store.get(), plan, { ...target, found, priceOf: suggestedPrice });
  store.set(() => result.lines);
  if (result.problems.length > 0)
    showFailures(`已粘贴${plan.rows.length}行，${result.problems.length}处需要修改`, result.problems, plan.rows.length);
}
