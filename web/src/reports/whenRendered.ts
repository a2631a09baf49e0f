/**
 * Detects that the visible charts of a loaded frame are rendered; the report platform renders the others on scrolling.
 * A frame of our own origin is inspected, any other is given some time.
 */
import { machineTime } from '@/lib/businessClock';

const CHECK_INTERVAL = 250;
const MAX_WAIT = 45_000;
const FOREIGN_FRAME_WAIT = 2_500;

const CHART_SELECTOR = '.dashboard-chart, .chart-container';
const CARD_SELECTOR = '.dashboard-component-chart-holder';
const LOADING_SELECTOR = '.loading';

/** `sight` is how far down the page is seen, in pixels. */
export function isRendered(page: Document, sight: number): boolean {
  const waiting = [...page.querySelectorAll(LOADING_SELECTOR)].map((one) => one.closest(CARD_SELECTOR) ?? one);
  return page.querySelector(CHART_SELECTOR) !== null && !waiting.some((one) => one.getBoundingClientRect().top < sight);
}

/** Calls back once, at the latest after 45 seconds; answers how to stop waiting. */
export function whenRendered(frame: HTMLIFrameElement, drawn: () => void): () => void {
  const started = machineTime();
  const timer = window.setInterval(() => {
    const page = frame.contentDocument;
    const waited = machineTime() - started;
    const done = page === null ? waited >= FOREIGN_FRAME_WAIT : isRendered(page, visibleDepth(frame));
    if (!done && waited < MAX_WAIT) return;
    window.clearInterval(timer);
    drawn();
  }, CHECK_INTERVAL);
  return () => window.clearInterval(timer);
}

function visibleDepth(frame: HTMLIFrameElement): number {
  const { top, bottom } = frame.getBoundingClientRect();
  return Math.min(bottom, window.innerHeight) - top;
}
