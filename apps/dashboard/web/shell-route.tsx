import { createRootRoute, createRoute, Link, Outlet } from '@tanstack/react-router';
import { cleanSearch } from './domain/clean-search.js';
import { isDay } from './domain/site-days.js';
import { Screen } from './layout/screen.js';
import { Shell } from './layout/shell.js';

/** Filters that stand in the address of every screen; a broken one falls away. */
export interface ShellSearch {
  readonly site?: string;
  /** Days of the site; `to` is the day after the last one. */
  readonly from?: string;
  readonly to?: string;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

/** What every screen of a workspace stands in. */
export const shell = createRoute({
  getParentRoute: () => root,
  path: '/w/$workspaceId',
  component: Shell,
  validateSearch: cleanSearch<ShellSearch>(['site', 'from', 'to'], ({ site, from, to }): ShellSearch => ({
    ...(typeof site === 'string' && UUID.test(site) && { site }),
    ...(isDay(from) && isDay(to) && from < to && { from, to }),
  })),
});

function NotFound() {
  return (
    <main>
      <Screen title="Not found">
        <p>
          This page has no such address. <Link to="/">Your workspaces</Link>
        </p>
      </Screen>
    </main>
  );
}
