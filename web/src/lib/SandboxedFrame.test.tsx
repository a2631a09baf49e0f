import { render } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { SandboxedFrame } from './SandboxedFrame';

const frameContent = () => {
  const { container } = render(<SandboxedFrame title="页" html="<p>页</p>" />);
  const frame = container.querySelector('iframe');
  if (!frame?.contentWindow) throw new Error('no frame');
  return {
    frame,
    page: frame.contentWindow,
    written: vi.spyOn(frame.contentWindow, 'postMessage').mockImplementation(() => undefined),
  };
};
const says = (source: Window, data: unknown) => window.dispatchEvent(new MessageEvent('message', { source, data }));

it('has no origin, and nothing in it that would be held to the policy of the shell', () => {
  const { frame } = frameContent();
  expect([frame.getAttribute('sandbox'), frame.getAttribute('src'), frame.getAttribute('srcdoc')]).toEqual([
    'allow-scripts',
    '/lone.html',
    null,
  ]);
});

it('is given the page each time it has loaded, and nobody else is', () => {
  const { page, written } = frameContent();
  says(window, 'lone:ready');
  says(page, { kind: 'ready' });
  expect(written).not.toHaveBeenCalled();
  says(page, 'lone:ready');
  says(page, 'lone:ready');
  expect(written.mock.calls).toEqual([
    ['<p>页</p>', '*'],
    ['<p>页</p>', '*'],
  ]);
});
