import { screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { pageAnswer, renderPage } from '@/engine/harness';
import { getSession } from '@/lib/session';
import { Header } from './Header';

let view: ReturnType<typeof renderPage>;
afterEach(() => view.done());

const Shown = ({ scope, narrow }: { scope: string; narrow: boolean }) => (
  <Header session={{ ...getSession()!, scope }} menu={[]} narrow={narrow} />
);

it.each([true, false])('names what is seen beside the company, narrow: %s', (narrow) => {
  view = renderPage(<Shown scope="全集团" narrow={narrow} />, {
    'v2/open/ExportLog/getExportLogList': () => pageAnswer([]),
  });
  expect(screen.getByText('华东公司')).toBeTruthy();
  expect(screen.getByText('可见 全集团')).toBeTruthy();
});

it('says nothing of it where the company is all that is seen', () => {
  view = renderPage(<Shown scope="" narrow />, {});
  expect(screen.queryByText(/可见/)).toBeNull();
});
