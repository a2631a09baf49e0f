import { render } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Change, Trend } from './Change';

const told = (element: React.ReactElement) => render(element).container.textContent;

it('tells how much more or less, and nothing of what reads as none', () => {
  expect(told(<Change now="150" before="100" />)).toBe('↑ 50.0%');
  expect(told(<Change now="100" before="150" />)).toBe('↓ 33.3%');
  expect(told(<Change now="100.01" before="100" />)).toBe('持平');
  expect(told(<Trend percent="-0.04" />)).toBe('持平');
  expect(told(<Trend percent="-0.05" />)).toBe('↓ 0.1%');
  expect(told(<Change now="1" before="0" />)).toBe('—');
});
