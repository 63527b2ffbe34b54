import { createRoute, createRouter, Navigate } from '@tanstack/react-router';
import { addressText } from './domain/address-text.js';
import { AUDIT_SEARCH, readAuditSearch } from './domain/audit-words.js';
import { cleanSearch, readChoice } from './domain/clean-search.js';
import { readDeliverySearch } from './domain/delivery-search.js';
import { STATES } from './domain/experiment-words.js';
import { readFunnelSearch } from './domain/funnel-search.js';
import { readIds } from './domain/id-search.js';
import { JOB_STATES } from './domain/job-states.js';
import { ORDER_SEARCH, readOrderSearch } from './domain/order-search.js';
import { INTERVALS } from './domain/publisher-rows.js';
import { readRevenueSearch } from './domain/revenue-parts.js';
import { lazyScreen } from './layout/lazy-screen.js';
import { ScreenFailed } from './layout/screen-failed.js';
import { Start } from './layout/start.js';
import { root, shell } from './shell-route.js';
import { shopRoutes } from './shop-routes.js';

const byName = cleanSearch<{ readonly name?: string }>(['name'], readIds(['name']));

const start = createRoute({ getParentRoute: () => root, path: '/', component: Start });

const workspaceHome = createRoute({
  getParentRoute: () => shell,
  path: '/',
  component: () => <Navigate from="/w/$workspaceId" to="/w/$workspaceId/sites" replace />,
});

const overview = createRoute({
  getParentRoute: () => shell,
  path: '/overview',
  component: lazyScreen(() => import('./overview/overview-screen.js'), 'OverviewScreen'),
  validateSearch: readChoice('measure', ['events', 'sessions']),
});

const funnel = createRoute({
  getParentRoute: () => shell,
  path: '/funnel',
  component: lazyScreen(() => import('./funnel/funnel-screen.js'), 'FunnelScreen'),
  validateSearch: cleanSearch(['steps', 'minutes', 'breakdown'], readFunnelSearch),
});

const revenue = createRoute({
  getParentRoute: () => shell,
  path: '/revenue',
  component: lazyScreen(() => import('./revenue/revenue-screen.js'), 'RevenueScreen'),
  validateSearch: cleanSearch(['part', 'currency'], readRevenueSearch),
});

const workflows = createRoute({
  getParentRoute: () => shell,
  path: '/workflows',
  component: lazyScreen(() => import('./workflows/workflows-screen.js'), 'WorkflowsScreen'),
  validateSearch: byName,
});

const newWorkflow = createRoute({
  getParentRoute: () => shell,
  path: '/workflows/new',
  component: lazyScreen(() => import('./workflows/new-workflow-screen.js'), 'NewWorkflowScreen'),
});

const workflow = createRoute({
  getParentRoute: () => shell,
  path: '/workflows/$workflowId',
  component: lazyScreen(() => import('./workflows/workflow-screen.js'), 'WorkflowScreen'),
  validateSearch: cleanSearch(['status', 'order_id', 'event_id', 'record_id'], readDeliverySearch),
});

const experiments = createRoute({
  getParentRoute: () => shell,
  path: '/partner-experiments',
  component: lazyScreen(() => import('./partner-experiments/experiments-screen.js'), 'ExperimentsScreen'),
  validateSearch: readChoice('state', STATES),
});

const newExperiment = createRoute({
  getParentRoute: () => shell,
  path: '/partner-experiments/new',
  component: lazyScreen(
    () => import('./partner-experiments/new-experiment-screen.js'),
    'NewExperimentScreen',
  ),
});

const experiment = createRoute({
  getParentRoute: () => shell,
  path: '/partner-experiments/$experimentId',
  component: lazyScreen(() => import('./partner-experiments/experiment-screen.js'), 'ExperimentScreen'),
  validateSearch: readChoice('interval', ['day', 'hour']),
});

const commissionRules = createRoute({
  getParentRoute: () => shell,
  path: '/commission-rules',
  component: lazyScreen(
    () => import('./commission-rules/commission-rules-screen.js'),
    'CommissionRulesScreen',
  ),
});

const touches = createRoute({
  getParentRoute: () => shell,
  path: '/touches',
  component: lazyScreen(() => import('./touches/touches-screen.js'), 'TouchesScreen'),
});

const profiles = createRoute({
  getParentRoute: () => shell,
  path: '/profiles',
  component: lazyScreen(() => import('./profiles/profiles-screen.js'), 'ProfilesScreen'),
  validateSearch: cleanSearch<{ readonly user_id?: string; readonly email?: string }>(
    ['user_id', 'email'],
    readIds(['user_id', 'email']),
  ),
});

const erasures = createRoute({
  getParentRoute: () => shell,
  path: '/erasures',
  component: lazyScreen(() => import('./erasures/erasures-screen.js'), 'ErasuresScreen'),
  validateSearch: cleanSearch<{ readonly user_id?: string }>(['user_id'], readIds(['user_id'])),
});

const erasure = createRoute({
  getParentRoute: () => shell,
  path: '/erasures/$erasureId',
  component: lazyScreen(() => import('./erasures/erasure-screen.js'), 'ErasureScreen'),
});

const jobs = createRoute({
  getParentRoute: () => shell,
  path: '/jobs',
  component: lazyScreen(() => import('./jobs/jobs-screen.js'), 'JobsScreen'),
  validateSearch: readChoice('state', JOB_STATES),
});

const job = createRoute({
  getParentRoute: () => shell,
  path: '/jobs/$jobId',
  component: lazyScreen(() => import('./jobs/job-screen.js'), 'JobScreen'),
});

const integrations = createRoute({
  getParentRoute: () => shell,
  path: '/integrations',
  component: lazyScreen(() => import('./integrations/integrations-screen.js'), 'IntegrationsScreen'),
});

const integration = createRoute({
  getParentRoute: () => shell,
  path: '/integrations/$integrationId',
  component: lazyScreen(() => import('./integrations/integration-screen.js'), 'IntegrationScreen'),
});

const sites = createRoute({
  getParentRoute: () => shell,
  path: '/sites',
  component: lazyScreen(() => import('./sites/sites-screen.js'), 'SitesScreen'),
});

const newSite = createRoute({
  getParentRoute: () => shell,
  path: '/sites/new',
  component: lazyScreen(() => import('./sites/new-site-screen.js'), 'NewSiteScreen'),
});

const siteSettings = createRoute({
  getParentRoute: () => shell,
  path: '/sites/$siteId',
  component: lazyScreen(() => import('./sites/site-settings-screen.js'), 'SiteSettingsScreen'),
});

const apiKeys = createRoute({
  getParentRoute: () => shell,
  path: '/api-keys',
  component: lazyScreen(() => import('./api-keys/api-keys-screen.js'), 'ApiKeysScreen'),
});

const orders = createRoute({
  getParentRoute: () => shell,
  path: '/orders',
  component: lazyScreen(() => import('./orders/orders-screen.js'), 'OrdersScreen'),
  validateSearch: cleanSearch(ORDER_SEARCH, readOrderSearch),
});

const chain = createRoute({
  getParentRoute: () => shell,
  path: '/chain',
  component: lazyScreen(() => import('./chain/ledger-screen.js'), 'LedgerScreen'),
});

const publisher = createRoute({
  getParentRoute: () => shell,
  path: '/publisher',
  component: lazyScreen(() => import('./publisher/publisher-screen.js'), 'PublisherScreen'),
  validateSearch: readChoice('interval', INTERVALS),
});

const members = createRoute({
  getParentRoute: () => shell,
  path: '/members',
  component: lazyScreen(() => import('./members/members-screen.js'), 'MembersScreen'),
  validateSearch: byName,
});

const auditLog = createRoute({
  getParentRoute: () => shell,
  path: '/audit-log',
  component: lazyScreen(() => import('./audit-log/audit-log-screen.js'), 'AuditLogScreen'),
  validateSearch: cleanSearch(AUDIT_SEARCH, readAuditSearch),
});

export const router = createRouter({
  basepath: '/dashboard',
  ...addressText,
  defaultErrorComponent: ScreenFailed,
  routeTree: root.addChildren([
    start,
    shell.addChildren([
      workspaceHome,
      overview,
      funnel,
      revenue,
      ...shopRoutes,
      workflows,
      newWorkflow,
      workflow,
      experiments,
      newExperiment,
      experiment,
      commissionRules,
      touches,
      profiles,
      erasures,
      erasure,
      jobs,
      job,
      integrations,
      integration,
      sites,
      newSite,
      siteSettings,
      apiKeys,
      orders,
      chain,
      publisher,
      members,
      auditLog,
    ]),
  ]),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
