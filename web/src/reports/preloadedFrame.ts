/**
 * Frames of reports, one of them preloaded: half of a report's opening is the report platform's code, which is the same
 * for all. The frame waits behind the page with that code running and is told its report when a reader opens one. Where
 * a browser can't move a frame without reloading it, each is loaded when needed.
 */
import { openSlot } from '@/lib/localStorageSlot';

/** A link in a report may open another of the shell's pages, here or in a new window. */
const SANDBOX_PERMISSIONS =
  'allow-same-origin allow-scripts allow-presentation allow-downloads allow-forms allow-popups ' +
  'allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation';
/** Readers look at what they have opened first. */
const PRELOAD_DELAY = 2_000;
const NAVIGATION_TIMEOUT = 5_000;
const LAST_ADDRESS_SLOT = 'reportFrame';

interface PreloadedFrame {
  frame: HTMLIFrameElement;
  loaded: Promise<unknown>;
}

let preloadedFrame: PreloadedFrame | null = null;
let preloadTimer = 0;

/** Opens a frame in advance as soon as there is time; `address` is any report's. */
export function preloadFrame(address: string): void {
  openSlot(LAST_ADDRESS_SLOT).write(address);
  schedulePreload(address);
}

/**
 * Preload the frame of the last report, for users who have opened one here before; others don't load the report
 * platform's code.
 */
export function preloadLastFrame(): void {
  const address = openSlot(LAST_ADDRESS_SLOT).read<string>();
  if (address !== null) schedulePreload(address);
}

function schedulePreload(address: string) {
  window.clearTimeout(preloadTimer);
  if (!('moveBefore' in Element.prototype)) return;
  preloadTimer = window.setTimeout(() => {
    if (preloadedFrame !== null) return;
    const frame = createFrame();
    // So that it loads what the last report needed, too.
    frame.name = 'waiting';
    // Behind the page, not hidden: browsers put off what hidden frames do.
    Object.assign(frame.style, {
      position: 'fixed',
      inset: '0',
      width: '100%',
      height: '100%',
      zIndex: '-1',
      border: '0',
      opacity: '0',
    });
    frame.inert = true;
    frame.ariaHidden = 'true';
    const loaded = new Promise((done) => frame.addEventListener('load', done, { once: true }));
    frame.src = address;
    document.body.append(frame);
    preloadedFrame = { frame, loaded };
  }, PRELOAD_DELAY);
}

/** Puts a frame with a report into an element of the page; calls back each time the report platform's code has loaded. */
export function openFrame(
  place: HTMLElement,
  address: string,
  onLoad: (frame: HTMLIFrameElement) => void,
): HTMLIFrameElement {
  const waiting = takePreloadedFrame(address);
  const frame = waiting?.frame ?? createFrame();
  const listen = () => frame.addEventListener('load', () => onLoad(frame));
  if (waiting === null) {
    listen();
    frame.src = address;
    place.append(frame);
    return frame;
  }
  place.moveBefore(frame, null);
  frame.removeAttribute('style');
  frame.inert = false;
  frame.ariaHidden = null;
  void waiting.loaded
    .then(() => navigateFrame(frame, address))
    .then((turned) => {
      if (!frame.isConnected) return;
      listen();
      if (turned) onLoad(frame);
      else frame.src = address;
    });
  return frame;
}

function takePreloadedFrame(address: string): PreloadedFrame | null {
  window.clearTimeout(preloadTimer);
  const waiting = preloadedFrame;
  if (waiting === null || !waiting.frame.isConnected || originOf(waiting.frame.src) !== originOf(address)) return null;
  preloadedFrame = null;
  return waiting;
}

/** Tells a frame that has loaded which report to show; false if it can't. */
function navigateFrame(frame: HTMLIFrameElement, address: string): Promise<boolean> {
  const { port1: port, port2: theirs } = new MessageChannel();
  return new Promise((resolve) => {
    const answered = (turned: boolean) => {
      window.clearTimeout(timer);
      port.close();
      resolve(turned);
    };
    const timer = window.setTimeout(() => answered(false), NAVIGATION_TIMEOUT);
    port.onmessage = ({ data }: MessageEvent<boolean>) => answered(data);
    frame.contentWindow?.postMessage({ type: 'erp_turn_to', address }, originOf(frame.src), [theirs]);
  });
}

function createFrame(): HTMLIFrameElement {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', SANDBOX_PERMISSIONS);
  frame.allow = 'fullscreen; clipboard-write';
  return frame;
}

function originOf(address: string): string {
  return new URL(address, window.location.href).origin;
}
