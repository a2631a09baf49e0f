/**
 * Type-ahead: keys pressed while an answer is pending are replayed after it, and dropped if nothing was chosen, since
 * they were meant for a place that was not reached.
 */

type QueuedKey = KeyboardEvent | string;

interface PendingWork {
  cancel: () => void;
}

const TEXT_INPUT_TYPES = new Set(['insertText', 'insertFromPaste']);
const MODIFIER_KEYS = new Set(['Shift', 'Control', 'Alt', 'Meta', 'CapsLock']);

const queuedKeys: QueuedKey[] = [];
const pendingWork = new Set<PendingWork>();
let delivering = false;
let replaying = false;

/** Queue keys until `work` resolves to whether to replay them; Escape cancels it, the mouse discards the queue. */
export function queueKeysUntil(work: Promise<boolean>, giveUp: () => void): void {
  const one = { cancel: giveUp };
  pendingWork.add(one);
  startListening();
  const finish = (goesOn: boolean) => {
    pendingWork.delete(one);
    if (!goesOn) queuedKeys.length = 0;
    void replayQueue();
  };
  work.then(finish, () => finish(false));
}

async function replayQueue(): Promise<void> {
  if (delivering) return;
  delivering = true;
  while (pendingWork.size === 0 && queuedKeys.length > 0) {
    // What the key before led to is drawn by then.
    await new Promise((drawn) => setTimeout(drawn));
    if (pendingWork.size === 0) replayKey(queuedKeys.shift());
  }
  delivering = false;
  if (pendingWork.size === 0) stopListening();
}

function replayKey(queued: QueuedKey | undefined): void {
  const target = document.activeElement;
  if (queued === undefined || target === null) return;
  replaying = true;
  try {
    if (typeof queued === 'string') insertText(target, queued);
    else dispatchKey(target, queued);
  } finally {
    replaying = false;
  }
}

function dispatchKey(target: Element, keyEvent: KeyboardEvent): void {
  const { key, code, keyCode, which, shiftKey, ctrlKey, altKey, metaKey } = keyEvent;
  const init = { key, code, keyCode, which, shiftKey, ctrlKey, altKey, metaKey, bubbles: true, cancelable: true };
  const taken = !target.dispatchEvent(new KeyboardEvent('keydown', init));
  target.dispatchEvent(new KeyboardEvent('keyup', init));
  if (taken) return;
  if (isTextKey(keyEvent)) insertText(target, key);
  else if (key === 'Enter' && target instanceof HTMLButtonElement) target.click();
  // What only a browser does with a key nobody can do in its place.
  else queuedKeys.length = 0;
}

/** Insert text through the element's own setter, which React listens to. */
function insertText(target: Element, text: string): void {
  if (!(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)) return;
  const { value, selectionStart, selectionEnd } = target;
  const [start, end] = [selectionStart ?? value.length, selectionEnd ?? value.length];
  const kind = target instanceof HTMLInputElement ? HTMLInputElement : HTMLTextAreaElement;
  Object.getOwnPropertyDescriptor(kind.prototype, 'value')?.set?.call(
    target,
    value.slice(0, start) + text + value.slice(end),
  );
  target.setSelectionRange(start + text.length, start + text.length);
  target.dispatchEvent(new InputEvent('input', { bubbles: true, data: text, inputType: 'insertText' }));
}

function isTextKey({ key, ctrlKey, altKey, metaKey }: KeyboardEvent): boolean {
  return [...key].length === 1 && !ctrlKey && !altKey && !metaKey;
}

function startListening(): void {
  window.addEventListener('keydown', handleKeyDown, true);
  window.addEventListener('beforeinput', handleBeforeInput, true);
  window.addEventListener('pointerdown', discardQueue, true);
}

function stopListening(): void {
  window.removeEventListener('keydown', handleKeyDown, true);
  window.removeEventListener('beforeinput', handleBeforeInput, true);
  window.removeEventListener('pointerdown', discardQueue, true);
}

function handleKeyDown(event: KeyboardEvent): void {
  if (replaying || event.isComposing || event.keyCode === 229 || MODIFIER_KEYS.has(event.key)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (event.key === 'Escape') cancelPending();
  else queuedKeys.push(event);
}

function handleBeforeInput(event: InputEvent): void {
  if (replaying || event.isComposing || !TEXT_INPUT_TYPES.has(event.inputType) || !event.data) return;
  event.preventDefault();
  queuedKeys.push(event.data);
}

function cancelPending(): void {
  queuedKeys.length = 0;
  for (const one of pendingWork) one.cancel();
}

function discardQueue(): void {
  queuedKeys.length = 0;
  pendingWork.clear();
  stopListening();
}
