import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { CAMPAIGN_TYPES, readCampaignSearch } from './domain/campaign-form.js';
import { cleanSearch, readChoice } from './domain/clean-search.js';
import { EVENT_SEARCH, readEventSearch } from './domain/event-search.js';
import { readIds } from './domain/id-search.js';
import { readProductSearch } from './domain/product-search.js';
import { shell } from './shell-route.js';

const getStarted = createRoute({
  getParentRoute: () => shell,
  path: '/get-started',
  component: lazyRouteComponent(() => import('./sites/get-started-screen.js'), 'GetStartedScreen'),
});

const events = createRoute({
  getParentRoute: () => shell,
  path: '/events',
  component: lazyRouteComponent(() => import('./events/events-screen.js'), 'EventsScreen'),
  validateSearch: cleanSearch(EVENT_SEARCH, readEventSearch),
});

const live = createRoute({
  getParentRoute: () => shell,
  path: '/live',
  component: lazyRouteComponent(() => import('./events/live-screen.js'), 'LiveScreen'),
  validateSearch: cleanSearch(EVENT_SEARCH, readEventSearch),
});

const trail = createRoute({
  getParentRoute: () => shell,
  path: '/trail',
  component: lazyRouteComponent(() => import('./events/trail-screen.js'), 'TrailScreen'),
  validateSearch: cleanSearch<{ readonly id?: string }>(['id'], readIds(['id'])),
});

const health = createRoute({
  getParentRoute: () => shell,
  path: '/health',
  component: lazyRouteComponent(() => import('./intake/health-screen.js'), 'HealthScreen'),
});

const campaigns = createRoute({
  getParentRoute: () => shell,
  path: '/campaigns',
  component: lazyRouteComponent(() => import('./campaigns/campaigns-screen.js'), 'CampaignsScreen'),
  validateSearch: cleanSearch(['type', 'status', 'name'], readCampaignSearch),
});

const newCampaign = createRoute({
  getParentRoute: () => shell,
  path: '/campaigns/new',
  component: lazyRouteComponent(() => import('./campaigns/campaign-screen.js'), 'NewCampaignScreen'),
  validateSearch: readChoice('type', CAMPAIGN_TYPES),
});

const campaign = createRoute({
  getParentRoute: () => shell,
  path: '/campaigns/$campaignId',
  component: lazyRouteComponent(() => import('./campaigns/campaign-screen.js'), 'CampaignScreen'),
});

const products = createRoute({
  getParentRoute: () => shell,
  path: '/products',
  component: lazyRouteComponent(() => import('./products/products-screen.js'), 'ProductsScreen'),
  validateSearch: cleanSearch(['availability', 'product_id'], readProductSearch),
});

const media = createRoute({
  getParentRoute: () => shell,
  path: '/media',
  component: lazyRouteComponent(() => import('./media/media-screen.js'), 'MediaScreen'),
});

const submissions = createRoute({
  getParentRoute: () => shell,
  path: '/submissions',
  component: lazyRouteComponent(() => import('./submissions/submissions-screen.js'), 'SubmissionsScreen'),
  validateSearch: cleanSearch<{ readonly campaign_id?: string; readonly session_id?: string }>(
    ['campaign_id', 'session_id'],
    readIds(['campaign_id', 'session_id']),
  ),
});

/** What a shop sends, and what it shows. */
export const shopRoutes = [
  getStarted,
  events,
  live,
  trail,
  health,
  campaigns,
  newCampaign,
  campaign,
  products,
  media,
  submissions,
] as const;
