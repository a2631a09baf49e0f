import { afterEach, expect, it, vi } from 'vitest';
import { watchRootFont } from './rootFont';

afterEach(() => {
  vi.useRealTimers();
  document.documentElement.style.fontSize = '';
});

it('3-rules 9: resize debounce 500 ms; root font size = window width / 1920 * 100', () => {
  vi.useFakeTimers();
  vi.stubGlobal('innerWidth', 1920);
  const stop = watchRootFont();
  const shown = () => document.documentElement.style.fontSize;
  expect(shown()).toBe('100px');
  vi.stubGlobal('innerWidth', 960);
  window.dispatchEvent(new Event('resize'));
  vi.advanceTimersByTime(499);
  expect(shown()).toBe('100px');
  vi.advanceTimersByTime(1);
  expect(shown()).toBe('50px');
  stop();
  vi.unstubAllGlobals();
});
