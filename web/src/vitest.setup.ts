import { configure } from '@testing-library/react';

// Only what fails waits that long; a busy machine is no failure.
configure({ asyncUtilTimeout: 8000 });

/** What antd asks of a browser and jsdom lacks. */
class NoResizeObserver implements ResizeObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}

globalThis.ResizeObserver ??= NoResizeObserver;
Element.prototype.scrollIntoView ??= () => undefined;
window.matchMedia ??= (media: string) =>
  ({
    media,
    matches: false,
    onchange: null,
    addListener: () => undefined,
    removeListener: () => undefined,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
    dispatchEvent: () => false,
  }) satisfies MediaQueryList;
