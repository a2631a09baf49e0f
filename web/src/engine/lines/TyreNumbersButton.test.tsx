import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { buildField, goodsLineFields, pricing } from '../fixtures';
import { stubElementSizes, pressButton, renderPage } from '../harness';
import { createLineStore, type LineStore } from './lineStore';
import { TyreNumbersButton, parseTyreNumbers } from './TyreNumbersButton';

const numbers = buildField({ name: 'tire_numbers', label: '胎号', type: 'text' });
const fields = [...goodsLineFields, numbers];
let store: LineStore;
let view: ReturnType<typeof renderPage>;

beforeEach(() => {
  stubElementSizes();
  store = createLineStore(fields, []);
  view = renderPage(<TyreNumbersButton store={store} field={numbers} pricing={pricing} activeRow={() => 0} />, {});
});
afterEach(() => view.done());

it('takes scans between anything, each once', () => {
  expect(parseTyreNumbers('ab1\nAB2，ab1、　ＡＢ3\r\n')).toEqual(['AB1', 'AB2', 'AB3']);
});

it('writes them into the line with their count as its quantity, and shows them again', async () => {
  await pressButton('录入胎号');
  fireEvent.change(await screen.findByLabelText('胎号'), { target: { value: 'n1\nn2\nn2\n' } });
  await pressButton('确定');
  await waitFor(() => expect(store.get()[0]?.values).toMatchObject({ tire_numbers: 'N1 N2', quantity: '2' }));
  await pressButton('录入胎号');
  expect((await screen.findByLabelText<HTMLTextAreaElement>('胎号')).value).toBe('N1\nN2\n');
});
