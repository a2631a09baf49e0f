import { useQueryClient } from '@tanstack/react-query';
import { waitFor } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import { okAnswer, pressButton, renderPage } from './harness';
import { api } from '../lib/api';
import { useQuery } from '../lib/query';
import { PageActiveContext } from '../lib/tabs';

const path = 'v2/sales/SalesOrder/getList';

function Page() {
  const { data } = useQuery({
    queryKey: ['sales_order'],
    queryFn: () => api.get<number>(path),
    staleTime: Infinity,
    gcTime: Infinity,
  });
  return <output>{data}</output>;
}

/** A page in a tab, and what happens elsewhere while it is behind another. */
function Tab() {
  const [shown, show] = useState(true);
  const client = useQueryClient();
  return (
    <>
      <button onClick={() => show(!shown)}>切换</button>
      <button onClick={() => void client.invalidateQueries({ queryKey: ['sales_order'] })}>别处保存</button>
      <PageActiveContext value={shown}>
        <Page />
      </PageActiveContext>
    </>
  );
}

let view: ReturnType<typeof renderPage>;
afterEach(() => view.done());

describe('a page behind another tab', () => {
  it('asks nothing, and what has become stale when it comes back', async () => {
    let answer = 1;
    view = renderPage(<Tab />, { [path]: () => okAnswer(answer++) });
    await view.findByText('1');
    await pressButton('切换');
    await pressButton('切换');
    expect(view.calls).toHaveLength(1);
    await pressButton('切换');
    await pressButton('别处保存');
    expect(view.calls).toHaveLength(1);
    await pressButton('切换');
    await view.findByText('2');
  });

  it('on screen is asked again at once', async () => {
    let answer = 1;
    view = renderPage(<Tab />, { [path]: () => okAnswer(answer++) });
    await view.findByText('1');
    await pressButton('别处保存');
    await waitFor(() => expect(view.calls).toHaveLength(2));
  });
});
