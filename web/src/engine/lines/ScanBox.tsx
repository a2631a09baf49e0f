import { ScanOutlined } from '@ant-design/icons';
import { useQueryClient } from '@tanstack/react-query';
import { Input, type InputRef } from 'antd';
import { useRef, useState } from 'react';
import { showMessage } from '../../lib/errors';
import { BILL_SHORTCUTS, usePageShortcut } from '../../lib/pageShortcuts';
import { usePageActive } from '../../lib/tabs';
import { withTimeout, warnUnanswered, fetchForCurrentContext } from '../pickers/typedChoice';
import type { Field, Pricing } from '../types';
import { buildGoodsQuery, type BillContext } from './billContext';
import { isBlankLine } from './lineModel';
import type { LineStore } from './lineStore';
import { findScannedPack } from './packs';
import { placeGoods } from './placeGoods';
import { fetchScannedGoods } from './resolveCodes';

interface ScanBoxProps {
  store: LineStore;
  goods: Field;
  pricing: Pricing | null;
  context: BillContext;
}

/**
 * Scans into the bill: barcode or code and Enter. It keeps the focus, takes codes as fast as they come, in their order,
 * and a repeated one adds one, or a pack. A Chinese input method that is on turns the letters of a code into a composition and
 * swallows the Enter behind it; that Enter counts too.
 */
export function ScanBox({ store, goods, pricing, context }: ScanBoxProps) {
  const client = useQueryClient();
  const [text, setText] = useState('');
  const box = useRef<InputRef>(null);
  usePageShortcut('find', usePageActive(), () => box.current?.focus());
  const queue = useRef(Promise.resolve(true));
  const enterWhileComposing = useRef(false);

  const scan = (code: string) => {
    setText('');
    const wanted = code.trim();
    if (wanted === '') return;
    queue.current = queue.current
      .then(() => take(wanted))
      .catch((error: unknown) => {
        warnUnanswered({ label: '商品', text: wanted }, error);
        return false;
      });
    store.track(queue.current);
  };
  const take = async (code: string) => {
    const [found, ...others] = await fetchForCurrentContext(
      () => buildGoodsQuery(context),
      (narrow) => withTimeout(fetchScannedGoods(client, code, narrow)),
    );
    if (!found) {
      showMessage('warning', `未找到商品：${code}`);
      return false;
    }
    if (others.length > 0) {
      const names = [found, ...others].map((goods) => goods.goods_num).join('、');
      showMessage('warning', `${code} 是多个商品的条码：${names}，请在商品栏选择`);
      return false;
    }
    const lines = store.get();
    const blank = lines.findIndex((line) => isBlankLine(store.fields, line));
    placeGoods(store, blank >= 0 ? blank : lines.length, {
      cell: goods,
      pricing,
      goods: found,
      scanned: true,
      pack: findScannedPack(found.units, code),
    });
    return true;
  };
  return (
    <Input
      ref={box}
      className="scan-box"
      prefix={<ScanOutlined />}
      aria-label="扫码"
      placeholder="扫码或输入编码后回车"
      title={BILL_SHORTCUTS.find.combo}
      autoComplete="off"
      value={text}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={(event) => {
        if (event.code !== 'Enter' && event.key !== 'Enter') return;
        event.preventDefault();
        if (event.nativeEvent.isComposing) enterWhileComposing.current = true;
        else scan(event.currentTarget.value);
      }}
      onCompositionEnd={(event) => {
        if (enterWhileComposing.current) scan(event.currentTarget.value);
        enterWhileComposing.current = false;
      }}
    />
  );
}
