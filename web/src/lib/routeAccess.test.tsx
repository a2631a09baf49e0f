import { cleanup, render, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { afterEach, expect, it } from 'vitest';
import { RouteLink, setAccessibleRoutes } from './routeAccess';

afterEach(() => {
  cleanup();
  setAccessibleRoutes(null);
});

const show = () =>
  render(
    <MemoryRouter>
      <RouteLink to="/report/salesdetrpt?company_id=2">12.3万</RouteLink>
    </MemoryRouter>,
  );
const link = () => screen.getByText('12.3万').closest('a')?.getAttribute('href');

it('leads to what the menu has, with its filter', () => {
  setAccessibleRoutes(new Set(['/report/salesdetrpt']));
  show();
  expect(link()).toBe('/report/salesdetrpt?company_id=2');
});

it('is no link to what the role may not open', () => {
  setAccessibleRoutes(new Set(['/report/purchasedetrpt']));
  show();
  expect(link()).toBeUndefined();
});
