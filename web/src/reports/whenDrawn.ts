/**
 * When the charts of a loaded frame are drawn, as far as a reader sees them: the report platform draws the others when
 * they are scrolled to. Looked at where the frame is of our own origin, else given some time.
 */
import { machineTime } from '@/lib/businessClock';

const lookEvery = 250;
const longest = 45_000;
const foreignFrame = 2_500;

const charts = '.dashboard-chart, .chart-container';
const card = '.dashboard-component-chart-holder';
const stillLoading = '.loading';

/** `sight` is how far down the page is seen, in pixels. */
export function isDrawn(page: Document, sight: number): boolean {
  const waiting = [...page.querySelectorAll(stillLoading)].map((one) => one.closest(card) ?? one);
  return page.querySelector(charts) !== null && !waiting.some((one) => one.getBoundingClientRect().top < sight);
}

/** Calls back once, at the latest after 45 seconds; answers how to stop waiting. */
export function whenDrawn(frame: HTMLIFrameElement, drawn: () => void): () => void {
  const started = machineTime();
  const timer = window.setInterval(() => {
    const page = frame.contentDocument;
    const waited = machineTime() - started;
    const done = page === null ? waited >= foreignFrame : isDrawn(page, sightInto(frame));
    if (!done && waited < longest) return;
    window.clearInterval(timer);
    drawn();
  }, lookEvery);
  return () => window.clearInterval(timer);
}

function sightInto(frame: HTMLIFrameElement): number {
  const { top, bottom } = frame.getBoundingClientRect();
  return Math.min(bottom, window.innerHeight) - top;
}
