import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Link,
  Navigate,
  Outlet,
} from '@tanstack/react-router';
import { isDay } from './domain/site-days.js';
import { Shell } from './layout/shell.js';
import { Start } from './layout/start.js';
import { Screen } from './layout/screen.js';

/** Filters that stand in the address of every screen; a broken one falls away. */
interface ShellSearch {
  readonly site?: string;
  /** Days of the site; `to` is the day after the last one. */
  readonly from?: string;
  readonly to?: string;
}

const ORDER_CHARACTERS = 128;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

const start = createRoute({ getParentRoute: () => root, path: '/', component: Start });

const shell = createRoute({
  getParentRoute: () => root,
  path: '/w/$workspaceId',
  component: Shell,
  validateSearch: ({ site, from, to }: Record<string, unknown>): ShellSearch => ({
    ...(typeof site === 'string' && UUID.test(site) && { site }),
    ...(isDay(from) && isDay(to) && from < to && { from, to }),
  }),
});

const workspaceHome = createRoute({
  getParentRoute: () => shell,
  path: '/',
  component: () => <Navigate from="/w/$workspaceId" to="/w/$workspaceId/sites" replace />,
});

const sites = createRoute({
  getParentRoute: () => shell,
  path: '/sites',
  component: lazyRouteComponent(() => import('./sites/sites-screen.js'), 'SitesScreen'),
});

const newSite = createRoute({
  getParentRoute: () => shell,
  path: '/sites/new',
  component: lazyRouteComponent(() => import('./sites/new-site-screen.js'), 'NewSiteScreen'),
});

const apiKeys = createRoute({
  getParentRoute: () => shell,
  path: '/api-keys',
  component: lazyRouteComponent(() => import('./api-keys/api-keys-screen.js'), 'ApiKeysScreen'),
});

const orders = createRoute({
  getParentRoute: () => shell,
  path: '/orders',
  component: lazyRouteComponent(() => import('./orders/orders-screen.js'), 'OrdersScreen'),
  validateSearch: ({ order }: Record<string, unknown>): { readonly order?: string } =>
    (typeof order === 'string' || typeof order === 'number') && String(order).length <= ORDER_CHARACTERS
      ? { order: String(order) }
      : {},
});

const publisher = createRoute({
  getParentRoute: () => shell,
  path: '/publisher',
  component: lazyRouteComponent(() => import('./publisher/publisher-screen.js'), 'PublisherScreen'),
});

const members = createRoute({
  getParentRoute: () => shell,
  path: '/members',
  component: lazyRouteComponent(() => import('./members/members-screen.js'), 'MembersScreen'),
});

const auditLog = createRoute({
  getParentRoute: () => shell,
  path: '/audit-log',
  component: lazyRouteComponent(() => import('./audit-log/audit-log-screen.js'), 'AuditLogScreen'),
});

export const router = createRouter({
  basepath: '/dashboard',
  routeTree: root.addChildren([
    start,
    shell.addChildren([workspaceHome, sites, newSite, apiKeys, orders, publisher, members, auditLog]),
  ]),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

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
