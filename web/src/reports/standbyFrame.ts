/**
 * Frames of reports, one of them opened in advance: half of a report's opening is the report platform's code, which is
 * the same for all of them. A frame waits behind the page with that code running and is told its report when a reader
 * opens one. Where a browser can't move a frame without loading it again, each is loaded when it is needed.
 */
import { storedSlot } from '@/lib/stored';

/** A link in a report may open another of the shell's pages, here or in a new window. */
const sandbox =
  'allow-same-origin allow-scripts allow-presentation allow-downloads allow-forms allow-popups ' +
  'allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation';
/** Readers look at what they have opened first. */
const restBefore = 2_000;
const turnWithin = 5_000;
const lastAddress = 'reportFrame';

interface Standby {
  frame: HTMLIFrameElement;
  loaded: Promise<unknown>;
}

let standby: Standby | null = null;
let planned = 0;

/** Opens a frame in advance as soon as there is time; `address` is any report's. */
export function prepareFrame(address: string): void {
  storedSlot(lastAddress).write(address);
  prepare(address);
}

/** As `prepareFrame`, for who has read reports here before: others are spared the report platform's code. */
export function prepareUsualFrame(): void {
  const address = storedSlot(lastAddress).read<string>();
  if (address !== null) prepare(address);
}

function prepare(address: string) {
  window.clearTimeout(planned);
  if (!('moveBefore' in Element.prototype)) return;
  planned = window.setTimeout(() => {
    if (standby !== null) return;
    const frame = newFrame();
    // So that it loads what the last report needed, too.
    frame.name = 'waiting';
    // Behind the page, not hidden: browsers put off what hidden frames do.
    Object.assign(frame.style, { position: 'fixed', inset: '0', width: '100%', height: '100%', zIndex: '-1', border: '0', opacity: '0' });
    frame.inert = true;
    frame.ariaHidden = 'true';
    const loaded = new Promise((done) => frame.addEventListener('load', done, { once: true }));
    frame.src = address;
    document.body.append(frame);
    standby = { frame, loaded };
  }, restBefore);
}

/** Puts a frame with a report into an element of the page; calls back each time the report platform's code has loaded. */
export function openFrame(place: HTMLElement, address: string, onLoad: (frame: HTMLIFrameElement) => void): HTMLIFrameElement {
  const waiting = takeStandby(address);
  const frame = waiting?.frame ?? newFrame();
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
    .then(() => turnTo(frame, address))
    .then((turned) => {
      if (!frame.isConnected) return;
      listen();
      if (turned) onLoad(frame);
      else frame.src = address;
    });
  return frame;
}

function takeStandby(address: string): Standby | null {
  window.clearTimeout(planned);
  const waiting = standby;
  if (waiting === null || !waiting.frame.isConnected || originOf(waiting.frame.src) !== originOf(address)) return null;
  standby = null;
  return waiting;
}

/** Tells a frame that has loaded which report to show; false if it can't. */
function turnTo(frame: HTMLIFrameElement, address: string): Promise<boolean> {
  const { port1: port, port2: theirs } = new MessageChannel();
  return new Promise((resolve) => {
    const answered = (turned: boolean) => {
      window.clearTimeout(timer);
      port.close();
      resolve(turned);
    };
    const timer = window.setTimeout(() => answered(false), turnWithin);
    port.onmessage = ({ data }: MessageEvent<boolean>) => answered(data);
    frame.contentWindow?.postMessage({ type: 'erp_turn_to', address }, originOf(frame.src), [theirs]);
  });
}

function newFrame(): HTMLIFrameElement {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', sandbox);
  frame.allow = 'fullscreen; clipboard-write';
  return frame;
}

function originOf(address: string): string {
  return new URL(address, window.location.href).origin;
}
