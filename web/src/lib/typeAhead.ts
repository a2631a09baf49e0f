/**
 * Keys pressed while an answer is awaited go where they would have gone had it been there at once. Where it turns out that nobody
 * can say what was meant they are dropped: they were meant for a place that was not reached.
 */

type Held = KeyboardEvent | string;

interface Awaited {
  giveUp: () => void;
}

const TEXTS = new Set(['insertText', 'insertFromPaste']);
const MODIFIERS = new Set(['Shift', 'Control', 'Alt', 'Meta', 'CapsLock']);

const keys: Held[] = [];
const awaited = new Set<Awaited>();
let delivering = false;
let replaying = false;

/** Holds keys until `work` is done, which answers whether to go on with them; Escape gives it up, the mouse goes elsewhere without it. */
export function holdKeys(work: Promise<boolean>, giveUp: () => void): void {
  const one = { giveUp };
  awaited.add(one);
  listen();
  const settled = (goesOn: boolean) => {
    awaited.delete(one);
    if (!goesOn) keys.length = 0;
    void deliver();
  };
  work.then(settled, () => settled(false));
}

async function deliver(): Promise<void> {
  if (delivering) return;
  delivering = true;
  while (awaited.size === 0 && keys.length > 0) {
    // What the key before led to is drawn by then.
    await new Promise((drawn) => setTimeout(drawn));
    if (awaited.size === 0) replay(keys.shift());
  }
  delivering = false;
  if (awaited.size === 0) unlisten();
}

function replay(held: Held | undefined): void {
  const target = document.activeElement;
  if (held === undefined || target === null) return;
  replaying = true;
  try {
    if (typeof held === 'string') insert(target, held);
    else press(target, held);
  } finally {
    replaying = false;
  }
}

function press(target: Element, held: KeyboardEvent): void {
  const { key, code, keyCode, which, shiftKey, ctrlKey, altKey, metaKey } = held;
  const init = { key, code, keyCode, which, shiftKey, ctrlKey, altKey, metaKey, bubbles: true, cancelable: true };
  const taken = !target.dispatchEvent(new KeyboardEvent('keydown', init));
  target.dispatchEvent(new KeyboardEvent('keyup', init));
  if (taken) return;
  if (isText(held)) insert(target, key);
  else if (key === 'Enter' && target instanceof HTMLButtonElement) target.click();
  // What only a browser does with a key nobody can do in its place.
  else keys.length = 0;
}

/** As typed: React hears of a value only from the element's own setter. */
function insert(target: Element, text: string): void {
  if (!(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)) return;
  const { value, selectionStart, selectionEnd } = target;
  const [start, end] = [selectionStart ?? value.length, selectionEnd ?? value.length];
  const kind = target instanceof HTMLInputElement ? HTMLInputElement : HTMLTextAreaElement;
  Object.getOwnPropertyDescriptor(kind.prototype, 'value')?.set?.call(target, value.slice(0, start) + text + value.slice(end));
  target.setSelectionRange(start + text.length, start + text.length);
  target.dispatchEvent(new InputEvent('input', { bubbles: true, data: text, inputType: 'insertText' }));
}

function isText({ key, ctrlKey, altKey, metaKey }: KeyboardEvent): boolean {
  return [...key].length === 1 && !ctrlKey && !altKey && !metaKey;
}

function listen(): void {
  window.addEventListener('keydown', onKey, true);
  window.addEventListener('beforeinput', onText, true);
  window.addEventListener('pointerdown', letGo, true);
}

function unlisten(): void {
  window.removeEventListener('keydown', onKey, true);
  window.removeEventListener('beforeinput', onText, true);
  window.removeEventListener('pointerdown', letGo, true);
}

function onKey(event: KeyboardEvent): void {
  if (replaying || event.isComposing || event.keyCode === 229 || MODIFIERS.has(event.key)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (event.key === 'Escape') giveUp();
  else keys.push(event);
}

function onText(event: InputEvent): void {
  if (replaying || event.isComposing || !TEXTS.has(event.inputType) || !event.data) return;
  event.preventDefault();
  keys.push(event.data);
}

function giveUp(): void {
  keys.length = 0;
  for (const one of awaited) one.giveUp();
}

function letGo(): void {
  keys.length = 0;
  awaited.clear();
  unlisten();
}
