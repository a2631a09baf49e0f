import { render } from '@testing-library/react';
import { expect, it } from 'vitest';
import { ChangeRate, Trend } from './ChangeRate';

const renderedText = (element: React.ReactElement) => render(element).container.textContent;

it('tells how much more or less, and nothing of what reads as none', () => {
  expect(renderedText(<ChangeRate now="150" before="100" />)).toBe('↑ 50.0%');
  expect(renderedText(<ChangeRate now="100" before="150" />)).toBe('↓ 33.3%');
  expect(renderedText(<ChangeRate now="100.01" before="100" />)).toBe('持平');
  expect(renderedText(<Trend percent="-0.04" />)).toBe('持平');
  expect(renderedText(<Trend percent="-0.05" />)).toBe('↓ 0.1%');
  expect(renderedText(<ChangeRate now="1" before="0" />)).toBe('—');
});
