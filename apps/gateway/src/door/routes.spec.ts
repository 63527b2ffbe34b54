import 'reflect-metadata';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import { applicationRoutes } from '../testing/application-routes.js';
import type { Route } from '../http/exchange.js';
import { RouteCatalogue, routesOf } from './routes.js';
import { Credential } from '../http/route-rules.js';

/** Every route of the gateway with its required credential: a new route must be added here. */
const GUARDED_ROUTES = [
  'DELETE /api/v1/campaigns/:campaign_id management-writer',
  'DELETE /api/v1/integrations/:id management-writer',
  'DELETE /api/v1/media/:media_id management-writer',
  'DELETE /api/v1/partner-experiments/:experiment_id management-writer',
  'DELETE /api/v1/products/:id management-writer',
  'DELETE /api/v1/profiles/:user_id management-writer',
  'DELETE /api/v1/sites/:site_id management-writer',
  'DELETE /api/v1/sites/:site_id/api-keys/:key_id management-writer',
  'DELETE /api/v1/workflows/:id management-writer',
  'DELETE /api/v1/workspaces/:workspace_id workspace-owner',
  'DELETE /api/v1/workspaces/:workspace_id/members/:member_id workspace-member',
  'GET /api/admin/consumers admin',
  'GET /api/admin/dead-letters admin',
  'GET /api/admin/health admin',
  'GET /api/admin/reconciliation admin',
  'GET /api/admin/set-aside-facts admin',
  'GET /api/admin/topics admin',
  'GET /api/admin/workspaces/:workspace_id admin',
  'GET /api/docs public',
  'GET /api/docs/:file public',
  'GET /api/openapi.json public',
  'GET /api/v1/analytics/events analytics-reader',
  'GET /api/v1/analytics/events/trail analytics-reader',
  'GET /api/v1/analytics/funnel analytics-reader',
  'GET /api/v1/analytics/overview analytics-reader',
  'GET /api/v1/analytics/publishers owner-alone',
  'GET /api/v1/analytics/publishers.csv owner-alone',
  'GET /api/v1/analytics/publishers/clicks owner-alone',
  'GET /api/v1/analytics/revenue analytics-reader',
  'GET /api/v1/analytics/revenue/items analytics-reader',
  'GET /api/v1/analytics/timeseries analytics-reader',
  'GET /api/v1/audit-log management-owner',
  'GET /api/v1/campaigns management-reader',
  'GET /api/v1/campaigns/:campaign_id management-reader',
  'GET /api/v1/integrations management-reader',
  'GET /api/v1/integrations/:id management-reader',
  'GET /api/v1/integrations/:id/settlements management-reader',
  'GET /api/v1/integrations/:id/settlements/:settlement_id/history management-reader',
  'GET /api/v1/jobs management-reader',
  'GET /api/v1/jobs/:job_id job-follower',
  'GET /api/v1/media management-reader',
  'GET /api/v1/media/:media_id management-reader',
  'GET /api/v1/partner-attribution/chain attribution-reader',
  'GET /api/v1/partner-attribution/chain/records attribution-reader',
  'GET /api/v1/partner-attribution/commission-rules attribution-reader',
  'GET /api/v1/partner-attribution/orders attribution-reader',
  'GET /api/v1/partner-attribution/orders/:order_id attribution-reader',
  'GET /api/v1/partner-attribution/touches attribution-reader',
  'GET /api/v1/partner-experiments management-reader',
  'GET /api/v1/partner-experiments/:experiment_id management-reader',
  'GET /api/v1/partner-experiments/:experiment_id/results management-reader',
  'GET /api/v1/partner-experiments/:experiment_id/results.csv management-reader',
  'GET /api/v1/partner-experiments/:experiment_id/results/series management-reader',
  'GET /api/v1/partner-experiments/eligible-sessions management-reader',
  'GET /api/v1/partner-experiments/required-sample management-reader',
  'GET /api/v1/products management-reader',
  'GET /api/v1/products/:id management-reader',
  'GET /api/v1/profiles management-reader',
  'GET /api/v1/profiles.csv management-reader',
  'GET /api/v1/profiles/:user_id management-reader',
  'GET /api/v1/profiles/erasures management-writer',
  'GET /api/v1/profiles/erasures/:id management-writer',
  'GET /api/v1/profiles/imports/:job_id profile-importer',
  'GET /api/v1/public/chatbots storefront-reader',
  'GET /api/v1/public/media/:file public',
  'GET /api/v1/public/overlays storefront-reader',
  'GET /api/v1/recommendations storefront-reader',
  'GET /api/v1/sites management-reader',
  'GET /api/v1/sites/:site_id management-reader',
  'GET /api/v1/sites/:site_id/api-keys management-reader',
  'GET /api/v1/sites/:site_id/api-keys/:key_id management-reader',
  'GET /api/v1/sites/:site_id/intake management-reader',
  'GET /api/v1/submissions management-reader',
  'GET /api/v1/submissions.csv management-reader',
  'GET /api/v1/submissions/:id management-reader',
  'GET /api/v1/workflows management-reader',
  'GET /api/v1/workflows/:id management-reader',
  'GET /api/v1/workflows/:id/deliveries management-reader',
  'GET /api/v1/workflows/:id/deliveries/:delivery_id management-reader',
  'GET /api/v1/workspaces user',
  'GET /api/v1/workspaces/:workspace_id workspace-member',
  'GET /api/v1/workspaces/:workspace_id/members workspace-member',
  'GET /api/v1/workspaces/:workspace_id/members/:member_id workspace-member',
  'GET /sdk/v1/:file public',
  'PATCH /api/admin/workspaces/:workspace_id admin',
  'PATCH /api/v1/campaigns/:campaign_id management-writer',
  'PATCH /api/v1/integrations/:id management-writer',
  'PATCH /api/v1/partner-experiments/:experiment_id management-writer',
  'PATCH /api/v1/partner-experiments/:experiment_id/exclusions management-writer',
  'PATCH /api/v1/products/:id management-writer',
  'PATCH /api/v1/sites/:site_id management-writer',
  'PATCH /api/v1/sites/:site_id/api-keys/:key_id management-writer',
  'PATCH /api/v1/workflows/:id management-writer',
  'PATCH /api/v1/workspaces/:workspace_id workspace-writer',
  'PATCH /api/v1/workspaces/:workspace_id/members/:member_id workspace-writer',
  'POST /api/admin/dead-letters/:id/discard admin',
  'POST /api/admin/dead-letters/:id/replay admin',
  'POST /api/admin/set-aside-facts/:service/:id/discard admin',
  'POST /api/admin/set-aside-facts/:service/:id/replay admin',
  'POST /api/v1/campaigns management-writer',
  'POST /api/v1/events/batch event-writer-or-beacon',
  'POST /api/v1/events/track event-writer',
  'POST /api/v1/integrations management-writer',
  'POST /api/v1/integrations/:id/settlements management-writer',
  'POST /api/v1/integrations/jobs/:type public',
  'POST /api/v1/jobs/:job_id/cancel job-follower',
  'POST /api/v1/media management-writer',
  'POST /api/v1/partner-attribution/chain/verifications management-writer',
  'POST /api/v1/partner-attribution/commission-rules commission-rule-writer',
  'POST /api/v1/partner-attribution/conversions conversion-writer',
  'POST /api/v1/partner-attribution/touches touch-writer-or-beacon',
  'POST /api/v1/partner-experiments management-writer',
  'POST /api/v1/partner-experiments/:experiment_id/pause management-writer',
  'POST /api/v1/partner-experiments/:experiment_id/resume management-writer',
  'POST /api/v1/partner-experiments/:experiment_id/start management-writer',
  'POST /api/v1/partner-experiments/:experiment_id/stop management-writer',
  'POST /api/v1/partner-experiments/assignments storefront-reader',
  'POST /api/v1/products management-writer',
  'POST /api/v1/profiles/import profile-importer',
  'POST /api/v1/runtime/tokens listed-page',
  'POST /api/v1/sites management-writer',
  'POST /api/v1/sites/:site_id/api-keys management-writer',
  'POST /api/v1/sites/:site_id/api-keys/:key_id/rotate management-writer',
  'POST /api/v1/submissions storefront-reader',
  'POST /api/v1/workflows management-writer',
  'POST /api/v1/workflows/:id/deliveries/:delivery_id/replay management-writer',
  'POST /api/v1/workflows/:id/deliveries/replay management-writer',
  'POST /api/v1/workflows/:id/test management-writer',
  'POST /api/v1/workspaces user',
  'POST /api/v1/workspaces/:workspace_id/members workspace-writer',
  'POST /api/v1/workspaces/:workspace_id/members/accept user',
  'POST /api/v1/workspaces/:workspace_id/members/decline user',
  'PUT /api/v1/products/batch catalogue-writer',
];

describe('the routes of the application', () => {
  let routes: Route[];

  beforeAll(async () => {
    ({ routes } = await applicationRoutes());
  });

  it('each declare a credential rule', () => {
    const declared = routes.map(({ method, path, credential }) => `${method} ${path} ${credential}`);
    expect(declared.sort()).toEqual(GUARDED_ROUTES);
  });
});

describe('the catalogue of routes', () => {
  it('finds a path exactly, and one with ids by its pattern', () => {
    const route = routeAt('/api/admin/dead-letters/:id/replay');
    const catalogue = new RouteCatalogue([route]);
    expect(catalogue.at('/api/admin/dead-letters/7-1/replay')?.methods.get('POST')).toBe(route);
    for (const path of [
      '/api/admin/dead-letters/7-1/replay/',
      '/api/admin/dead-letters//replay',
      '/api/admin/dead-letters/7/1/replay',
      '/API/admin/dead-letters/7-1/replay',
    ]) {
      expect(catalogue.at(path)).toBeUndefined();
    }
  });

  it('decodes the values of a path, and tells one that is no UTF-8', () => {
    const catalogue = new RouteCatalogue([routeAt('/sites/:site_id/keys/:key_id'), routeAt('/sites')]);
    expect(catalogue.at('/sites/a%2Fb/keys/%C3%A4')?.params).toEqual({ site_id: 'a/b', key_id: 'ä' });
    expect(catalogue.at('/sites/a/keys/%C3')).toEqual(expect.objectContaining({ params: undefined }));
    expect(catalogue.at('/sites')?.params).toEqual({});
    const people = new RouteCatalogue([routeAt('/profiles/import'), routeAt('/profiles/:user_id')]);
    expect(people.at('/profiles/import')?.params).toEqual({});
    expect(people.at('/profiles/%69mport')?.params).toEqual({ user_id: 'import' });
  });

  it('refuses two routes of one address and method, and two names for one value of an address', () => {
    const of =
      (...paths: readonly string[]) =>
      () =>
        new RouteCatalogue(paths.map(routeAt));
    expect(of('/sites', '/sites')).toThrow('POST /sites is declared twice.');
    expect(of('/sites/:id', '/sites/:id')).toThrow('POST /sites/:id is declared twice.');
    expect(of('/sites/:id', '/sites/:site_id')).toThrow('/sites/:site_id');
  });

  it('refuses to start with a route that declares no credential rule, and names it', async () => {
    @Controller('open')
    class OpenController {
      @Get('guarded')
      @Credential('admin')
      guarded(): void {
        return undefined;
      }

      @Get('door')
      door(): void {
        return undefined;
      }
    }
    @Module({ controllers: [OpenController] })
    class OpenModule {}
    const nest = await NestFactory.createApplicationContext(OpenModule, { logger: false });
    expect(() => routesOf(nest.get(ModulesContainer))).toThrow('OpenController.door');
    await nest.close();
  });
});

function routeAt(path: string): Route {
  return {
    method: 'POST',
    path,
    credential: 'admin',
    demand: undefined,
    knownQuery: new Map(),
    body: undefined,
    answer: () => undefined,
  };
}
