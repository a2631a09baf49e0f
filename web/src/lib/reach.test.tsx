import { cleanup, render, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { afterEach, expect, it } from 'vitest';
import { Lead, setReached } from './reach';

afterEach(() => {
  cleanup();
  setReached(null);
});

const show = () =>
  render(
    <MemoryRouter>
      <Lead to="/report/salesdetrpt?company_id=2">12.3万</Lead>
    </MemoryRouter>,
  );
const link = () => screen.getByText('12.3万').closest('a')?.getAttribute('href');

it('leads to what the menu has, with its filter', () => {
  setReached(new Set(['/report/salesdetrpt']));
  show();
  expect(link()).toBe('/report/salesdetrpt?company_id=2');
});

it('is no link to what the role may not open', () => {
  setReached(new Set(['/report/purchasedetrpt']));
  show();
  expect(link()).toBeUndefined();
});
