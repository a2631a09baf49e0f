/** When the charts of a loaded frame are drawn: looked at where the frame is of our own origin, else given some time. */

const lookEvery = 250;
const longest = 45_000;
const foreignFrame = 2_500;

const charts = '.dashboard-chart, .chart-container';
const stillLoading = '.loading';

export function isDrawn(page: Document): boolean {
  return page.querySelector(charts) !== null && page.querySelector(stillLoading) === null;
}

/** Calls back once, at the latest after 45 seconds; answers how to stop waiting. */
export function whenDrawn(frame: HTMLIFrameElement, drawn: () => void): () => void {
  const started = Date.now();
  const timer = window.setInterval(() => {
    const page = frame.contentDocument;
    const waited = Date.now() - started;
    const done = page === null ? waited >= foreignFrame : isDrawn(page);
    if (!done && waited < longest) return;
    window.clearInterval(timer);
    drawn();
  }, lookEvery);
  return () => window.clearInterval(timer);
}
