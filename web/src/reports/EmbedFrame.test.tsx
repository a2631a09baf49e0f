import { cleanup, fireEvent, render, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { PageActiveContext } from '@/lib/tabs';
import { EmbedFrame } from './EmbedFrame';

const mask = { 'NATIVE_FILTER-c': { filterState: { value: ['苏州公司'] } } };

/** A page in a frame that has loaded and answers what it is asked. */
function loads(shown: HTMLIFrameElement) {
  const postMessage = (_message: unknown, _origin: string, [port]: MessagePort[]) => {
    if (!port) return;
    port.onmessage = ({ data }: MessageEvent<{ method: string; messageId?: string }>) => {
      if (!data.messageId) return;
      port.postMessage({
        switchboardAction: 'reply',
        messageId: data.messageId,
        result: data.method === 'getDataMask' ? mask : {},
      });
    };
  };
  Object.defineProperty(shown, 'contentWindow', { value: { postMessage }, configurable: true });
  fireEvent.load(shown);
}

const pages = Array.from({ length: 10 }, (_, place) => `报表${place}`);

function Pages({ seen }: { seen: string | null }) {
  return pages.map((title) => (
    <PageActiveContext key={title} value={title === seen}>
      <EmbedFrame
        code={title}
        tab={{
          key: 'all',
          label: '全部',
          embed_id: title,
          address: `/embedded/${title}?role_id=3`,
          filters: [],
          opens_with: {},
        }}
        title={title}
        isSelected
        version={0}
        requestedVersion={0}
        initialFilters={{}}
        onPort={() => undefined}
        onShow={() => undefined}
      />
    </PageActiveContext>
  ));
}

const frame = (title: string) => document.querySelector<HTMLIFrameElement>(`iframe[title='${title}']`);

afterEach(cleanup);

it('lets go of the frame that was left first when many are open, and opens it with its filters again', async () => {
  vi.stubGlobal('fetch', () =>
    Promise.resolve(Response.json({ code: 200, msg: '', data: { token: 'g', expires_in: 300 } })),
  );
  const view = render(<Pages seen={null} />);
  for (const seen of pages) {
    view.rerender(<Pages seen={seen} />);
    const shown = frame(seen);
    if (shown) loads(shown);
    await waitFor(() => expect(shown?.closest('div')?.parentElement?.querySelector('.ant-spin')).toBeNull());
  }
  await waitFor(() => expect(pages.filter((title) => frame(title) === null)).toEqual(['报表0']));

  view.rerender(<Pages seen="报表0" />);
  expect(decodeURIComponent(frame('报表0')?.getAttribute('src') ?? '')).toMatch(
    /^\/embedded\/报表0\?.*苏州公司.*&role_id=3$/,
  );
});
