import { createRoute } from '@tanstack/react-router';
import { CAMPAIGN_TYPES, readCampaignSearch } from './domain/campaign-form.js';
import { cleanSearch, readChoice } from './domain/clean-search.js';
import { EVENT_SEARCH, readEventSearch } from './domain/event-search.js';
import { readIds } from './domain/id-search.js';
import { readProductSearch } from './domain/product-search.js';
import { lazyScreen } from './layout/lazy-screen.js';
import { shell } from './shell-route.js';

const getStarted = createRoute({
  getParentRoute: () => shell,
  path: '/get-started',
  component: lazyScreen(() => import('./sites/get-started-screen.js'), 'GetStartedScreen'),
});

const events = createRoute({
  getParentRoute: () => shell,
  path: '/events',
  component: lazyScreen(() => import('./events/events-screen.js'), 'EventsScreen'),
  validateSearch: cleanSearch(EVENT_SEARCH, readEventSearch),
});

const live = createRoute({
  getParentRoute: () => shell,
  path: '/live',
  component: lazyScreen(() => import('./events/live-screen.js'), 'LiveScreen'),
  validateSearch: cleanSearch(EVENT_SEARCH, readEventSearch),
});

const trail = createRoute({
  getParentRoute: () => shell,
  path: '/trail',
  component: lazyScreen(() => import('./events/trail-screen.js'), 'TrailScreen'),
  validateSearch: cleanSearch<{ readonly id?: string }>(['id'], readIds(['id'])),
});

const health = createRoute({
  getParentRoute: () => shell,
  path: '/health',
  component: lazyScreen(() => import('./intake/health-screen.js'), 'HealthScreen'),
});

const campaigns = createRoute({
  getParentRoute: () => shell,
  path: '/campaigns',
  component: lazyScreen(() => import('./campaigns/campaigns-screen.js'), 'CampaignsScreen'),
  validateSearch: cleanSearch(['type', 'status', 'name'], readCampaignSearch),
});

const newCampaign = createRoute({
  getParentRoute: () => shell,
  path: '/campaigns/new',
  component: lazyScreen(() => import('./campaigns/campaign-screen.js'), 'NewCampaignScreen'),
  validateSearch: readChoice('type', CAMPAIGN_TYPES),
});

const campaign = createRoute({
  getParentRoute: () => shell,
  path: '/campaigns/$campaignId',
  component: lazyScreen(() => import('./campaigns/campaign-screen.js'), 'CampaignScreen'),
});

const products = createRoute({
  getParentRoute: () => shell,
  path: '/products',
  component: lazyScreen(() => import('./products/products-screen.js'), 'ProductsScreen'),
  validateSearch: cleanSearch(['availability', 'product_id'], readProductSearch),
});

const media = createRoute({
  getParentRoute: () => shell,
  path: '/media',
  component: lazyScreen(() => import('./media/media-screen.js'), 'MediaScreen'),
});

const submissions = createRoute({
  getParentRoute: () => shell,
  path: '/submissions',
  component: lazyScreen(() => import('./submissions/submissions-screen.js'), 'SubmissionsScreen'),
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
