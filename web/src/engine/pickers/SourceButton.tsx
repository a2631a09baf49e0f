import { Button } from 'antd';
import { lazy, Suspense, useState } from 'react';
import { showMessage } from '../../lib/errors';
import { BILL_SHORTCUTS, usePageShortcut } from '../../lib/pageShortcuts';
import { usePageActive } from '../../lib/tabs';
import { isEmptyRef } from '../fields/fieldValue';
import type { BillContext } from '../lines/billContext';
import { isBlankLine, typeCell, type LineRow } from '../lines/lineModel';
import type { LineStore } from '../lines/lineStore';
import type { Block, Pricing } from '../types';

const SourcePicker = lazy(() => import('./SourcePicker'));

interface SourceButtonProps {
  block: Block;
  source: NonNullable<Block['source']>;
  store: LineStore;
  context: BillContext;
  pricing: Pricing | null;
}

/** Opens the rows that a block's source offers for the bill's header. */
export function SourceButton({ block, source, store, context, pricing }: SourceButtonProps) {
  const [open, setOpen] = useState(false);
  const begin = () => {
    if (source.by.every((name) => !isEmptyRef(context.header()[name]))) setOpen(true);
    else showMessage('warning', '请先选择往来单位');
  };
  usePageShortcut('source', usePageActive(), begin);
  // A part of a priced row costs less.
  const priced = (line: LineRow) => {
    const field = store.fields.find((one) => one.name === source.takes && one.name === pricing?.quantity);
    return field ? typeCell(line, field, String(line.values[field.name]), pricing).line : line;
  };
  return (
    <>
      <Button type="primary" ghost className="line-source" title={BILL_SHORTCUTS.source.combo} onClick={begin}>
        选择{block.label}
      </Button>
      {open && (
        <Suspense>
          <SourcePicker
            block={block}
            source={source}
            context={context}
            taken={store.get()}
            onClose={() => setOpen(false)}
            onPick={(lines) => {
              setOpen(false);
              store.set((before) => [
                ...before.filter((line) => !isBlankLine(store.fields, line)),
                ...lines.map(priced),
              ]);
            }}
          />
        </Suspense>
      )}
    </>
  );
}
