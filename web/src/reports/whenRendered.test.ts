import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { whenRendered } from './whenRendered';

const page = document.implementation.createHTMLDocument();
const frameOf = (contentDocument: Document | null) => {
  const frame = document.createElement('iframe');
  Object.defineProperty(frame, 'contentDocument', { get: () => contentDocument });
  vi.spyOn(frame, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 100, 1000, 900));
  return frame;
};
const drawn = vi.fn();

beforeEach(() => {
  vi.useFakeTimers();
  drawn.mockClear();
});
afterEach(() => vi.useRealTimers());

it('waits for the last chart', () => {
  page.body.innerHTML = '';
  whenRendered(frameOf(page), drawn);
  vi.advanceTimersByTime(1_000);
  page.body.innerHTML = '<div class="dashboard-chart"><i class="loading"></i></div>';
  vi.advanceTimersByTime(1_000);
  expect(drawn).not.toHaveBeenCalled();
  page.body.innerHTML = '<div class="dashboard-chart"></div>';
  vi.advanceTimersByTime(1_000);
  expect(drawn).toHaveBeenCalledTimes(1);
});

it('leaves charts out of sight alone: they are drawn when they are scrolled to', () => {
  page.body.innerHTML =
    '<div class="dashboard-chart"></div><div class="dashboard-component-chart-holder"><i class="loading"></i></div>';
  const chart = page.querySelector('.dashboard-component-chart-holder')!;
  const standsAt = vi
    .spyOn(chart, 'getBoundingClientRect')
    .mockReturnValue(new DOMRect(0, window.innerHeight - 101, 1000, 300));
  whenRendered(frameOf(page), drawn);
  vi.advanceTimersByTime(1_000);
  expect(drawn).not.toHaveBeenCalled();
  standsAt.mockReturnValue(new DOMRect(0, window.innerHeight - 100, 1000, 300));
  vi.advanceTimersByTime(1_000);
  expect(drawn).toHaveBeenCalledTimes(1);
});

it('gives a frame of another origin some time', () => {
  whenRendered(frameOf(null), drawn);
  vi.advanceTimersByTime(2_000);
  expect(drawn).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1_000);
  expect(drawn).toHaveBeenCalledTimes(1);
});

it('waits no longer than 45 seconds, and not at all when stopped', () => {
  page.body.innerHTML = '<i class="loading"></i>';
  whenRendered(frameOf(page), drawn);
  const stop = whenRendered(frameOf(page), drawn);
  stop();
  vi.advanceTimersByTime(50_000);
  expect(drawn).toHaveBeenCalledTimes(1);
});
