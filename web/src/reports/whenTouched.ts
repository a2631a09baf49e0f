/**
 * When a reader has done something in a frame: what he scrolled to, typed, opened or turned to is lost with the frame. A
 * frame of another origin can't be looked into, and counts as touched.
 */

const DONE = ['pointerdown', 'keydown', 'wheel', 'touchmove', 'input'] as const;

/** Calls back once; answers how to stop looking. */
export function whenTouched(frame: HTMLIFrameElement, touched: () => void): () => void {
  const page = frame.contentDocument;
  if (page === null) {
    touched();
    return () => {};
  }
  const stop = () => {
    for (const kind of DONE) page.removeEventListener(kind, tell, true);
    page.removeEventListener('scroll', scrolled, true);
  };
  const tell = () => {
    stop();
    touched();
  };
  const scrolled = ({ target }: Event) => {
    const place = target === page ? page.scrollingElement : target;
    if (place !== null && 'scrollTop' in place && Number(place.scrollTop) > 0) tell();
  };
  for (const kind of DONE) page.addEventListener(kind, tell, { capture: true, passive: true });
  page.addEventListener('scroll', scrolled, { capture: true, passive: true });
  return stop;
}

/** Lets a frame stand where another one stood. */
export function scrollLike(frame: HTMLIFrameElement, other: HTMLIFrameElement | null): void {
  const top = other?.contentDocument?.scrollingElement?.scrollTop ?? 0;
  if (top > 0) frame.contentDocument?.scrollingElement?.scrollTo({ top, behavior: 'instant' });
}
