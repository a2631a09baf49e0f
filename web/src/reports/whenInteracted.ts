/**
 * Reader's interaction with a frame: scrolling, typing, opening or switching is lost when the frame is replaced. A
 * frame of another origin can't be inspected and counts as used.
 */

const INTERACTION_EVENTS = ['pointerdown', 'keydown', 'wheel', 'touchmove', 'input'] as const;

/** Calls back once; answers how to stop looking. */
export function whenInteracted(frame: HTMLIFrameElement, touched: () => void): () => void {
  const page = frame.contentDocument;
  if (page === null) {
    touched();
    return () => {};
  }
  const stop = () => {
    for (const kind of INTERACTION_EVENTS) page.removeEventListener(kind, notify, true);
    page.removeEventListener('scroll', scrolled, true);
  };
  const notify = () => {
    stop();
    touched();
  };
  const scrolled = ({ target }: Event) => {
    const place = target === page ? page.scrollingElement : target;
    if (place !== null && 'scrollTop' in place && Number(place.scrollTop) > 0) notify();
  };
  for (const kind of INTERACTION_EVENTS) page.addEventListener(kind, notify, { capture: true, passive: true });
  page.addEventListener('scroll', scrolled, { capture: true, passive: true });
  return stop;
}

/** Lets a frame stand where another one stood. */
export function copyScroll(frame: HTMLIFrameElement, other: HTMLIFrameElement | null): void {
  const top = other?.contentDocument?.scrollingElement?.scrollTop ?? 0;
  if (top > 0) frame.contentDocument?.scrollingElement?.scrollTo({ top, behavior: 'instant' });
}
