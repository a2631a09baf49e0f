import { configure } from '@testing-library/react';
import { afterAll, vi } from 'vitest';

// Only what fails waits that long; a busy machine is no failure.
configure({ asyncUtilTimeout: 8000 });

// What a page still loads when its file ends would fail for the files after it too: they share the modules.
afterAll(() => vi.dynamicImportSettled());

/** Browser APIs that antd requires and jsdom lacks. */
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
