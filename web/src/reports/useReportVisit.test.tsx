import { fireEvent, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import { okAnswer, pressButton, renderPage } from '@/engine/harness';
import { PageActiveContext } from '@/lib/tabs';
import { useReportVisit } from './useReportVisit';

const path = 'v2/open/ReportStatistic/add';

function Page({ code }: { code: string | null }) {
  useReportVisit(code);
  return <output>{code}</output>;
}

/** A report's page in a tab that comes and goes, as the shell keeps it. */
function Tab() {
  const [shown, show] = useState(true);
  const [code, become] = useState('salesmulrpt');
  return (
    <>
      <button onClick={() => show(!shown)}>切换</button>
      <button onClick={() => become('BestSeller')}>换报表</button>
      <PageActiveContext value={shown}>
        <Page code={code} />
      </PageActiveContext>
    </>
  );
}

let view: ReturnType<typeof renderPage>;
afterEach(() => view.done());
const visits = () => view.calls.filter((call) => call.path === path).map(({ query }) => query.code);

describe('a visit of a report', () => {
  it('is recorded once, though its kept page comes back on screen', async () => {
    view = renderPage(<Tab />, { [path]: () => okAnswer(null) });
    await waitFor(() => expect(visits()).toEqual(['salesmulrpt']));
    for (let times = 0; times < 4; times++) await pressButton('切换');
    expect(visits()).toEqual(['salesmulrpt']);
    fireEvent.click(view.getByText('换报表'));
    await waitFor(() => expect(visits()).toEqual(['salesmulrpt', 'BestSeller']));
  });

  it('is not recorded of a page that is no report', async () => {
    view = renderPage(<Page code={null} />, { [path]: () => okAnswer(null) });
    await Promise.resolve();
    expect(visits()).toEqual([]);
  });
});
