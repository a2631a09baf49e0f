/** F1: the keys and what they do. */
import { lazy, Suspense, useState } from 'react';
import { usePageShortcut } from '@/lib/pageShortcuts';

const KeyMapDialog = lazy(() => import('./KeyMapDialog'));

export function KeyMap() {
  const [open, setOpen] = useState(false);
  usePageShortcut('help', true, () => setOpen(!open), true);
  return <Suspense>{open && <KeyMapDialog onClose={() => setOpen(false)} />}</Suspense>;
}
