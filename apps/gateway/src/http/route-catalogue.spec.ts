import 'reflect-metadata';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import type { Express } from 'express';
import { applicationRoutes } from '../testing/application-routes.js';
import { type Route, RouteCatalogue, routesOf } from './route-catalogue.js';
import { Credential } from './route-rules.js';

/** Every route of the gateway with its required credential: a new route must be added here. */
const GUARDED_ROUTES = [
  'DELETE /api/v1/campaigns/:campaign_id management-writer',
  'DELETE /api/v1/integrations/:id management-writer',
  'DELETE /api/v1/media/:media_id management-writer',
  'DELETE /api/v1/partner-experiments/:experiment_id management-writer',
  'DELETE /api/v1/products/:id management-writer',
  'DELETE /api/v1/sites/:site_id management-writer',
  'DELETE /api/v1/sites/:site_id/api-keys/:key_id management-writer',
  'DELETE /api/v1/workspaces/:workspace_id workspace-owner',
  'DELETE /api/v1/workspaces/:workspace_id/members/:member_id workspace-member',
  'GET /api/admin/consumers admin',
  'GET /api/admin/dead-letters admin',
  'GET /api/admin/health admin',
  'GET /api/admin/reconciliation admin',
  'GET /api/admin/set-aside-facts admin',
  'GET /api/admin/topics admin',
  'GET /api/admin/workspaces/:workspace_id admin',
  'GET /api/openapi.json public',
  'GET /api/v1/analytics/publishers owner-alone',
  'GET /api/v1/analytics/publishers.csv owner-alone',
  'GET /api/v1/analytics/publishers/clicks owner-alone',
  'GET /api/v1/audit-log management-owner',
  'GET /api/v1/campaigns management-reader',
  'GET /api/v1/campaigns/:campaign_id management-reader',
  'GET /api/v1/integrations management-reader',
  'GET /api/v1/integrations/:id management-reader',
  'GET /api/v1/integrations/:id/settlements management-reader',
  'GET /api/v1/integrations/:id/settlements/:settlement_id/history management-reader',
  'GET /api/v1/jobs/:job_id job-follower',
  'GET /api/v1/media management-reader',
  'GET /api/v1/media/:media_id management-reader',
  'GET /api/v1/partner-attribution/commission-rules attribution-reader',
  'GET /api/v1/partner-attribution/orders/:order_id attribution-reader',
  'GET /api/v1/partner-attribution/touches attribution-reader',
  'GET /api/v1/partner-experiments management-reader',
  'GET /api/v1/partner-experiments/:experiment_id management-reader',
  'GET /api/v1/partner-experiments/:experiment_id/results management-reader',
  'GET /api/v1/partner-experiments/:experiment_id/results.csv management-reader',
  'GET /api/v1/partner-experiments/:experiment_id/results/series management-reader',
  'GET /api/v1/partner-experiments/required-sample management-reader',
  'GET /api/v1/products management-reader',
  'GET /api/v1/products/:id management-reader',
  'GET /api/v1/public/chatbots storefront-reader',
  'GET /api/v1/public/media/:file public',
  'GET /api/v1/public/overlays storefront-reader',
  'GET /api/v1/sites management-reader',
  'GET /api/v1/sites/:site_id management-reader',
  'GET /api/v1/sites/:site_id/api-keys management-reader',
  'GET /api/v1/sites/:site_id/api-keys/:key_id management-reader',
  'GET /api/v1/workspaces user',
  'GET /api/v1/workspaces/:workspace_id workspace-member',
  'GET /api/v1/workspaces/:workspace_id/members workspace-member',
  'GET /api/v1/workspaces/:workspace_id/members/:member_id workspace-member',
  'GET /sdk/v1/:file public',
  'PATCH /api/admin/workspaces/:workspace_id admin',
  'PATCH /api/v1/campaigns/:campaign_id management-writer',
  'PATCH /api/v1/integrations/:id management-writer',
  'PATCH /api/v1/partner-experiments/:experiment_id management-writer',
  'PATCH /api/v1/products/:id management-writer',
  'PATCH /api/v1/sites/:site_id management-writer',
  'PATCH /api/v1/sites/:site_id/api-keys/:key_id management-writer',
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
  'POST /api/v1/runtime/tokens listed-page',
  'POST /api/v1/sites management-writer',
  'POST /api/v1/sites/:site_id/api-keys management-writer',
  'POST /api/v1/sites/:site_id/api-keys/:key_id/rotate management-writer',
  'POST /api/v1/workspaces user',
  'POST /api/v1/workspaces/:workspace_id/members workspace-writer',
  'POST /api/v1/workspaces/:workspace_id/members/accept user',
  'POST /api/v1/workspaces/:workspace_id/members/decline user',
  'PUT /api/v1/products/batch catalogue-writer',
];

describe('the routes of the application', () => {
  let app: Express;
  let routes: Route[];

  beforeAll(async () => {
    ({ app, routes } = await applicationRoutes());
  });

  it('each declare a credential rule', () => {
    const declared = routes.map(({ method, path, credential }) => `${method} ${path} ${credential}`);
    expect(declared.sort()).toEqual(GUARDED_ROUTES);
  });

  it('the catalogue has every route that Express would answer: none is registered past the edge', () => {
    const catalogue = new RouteCatalogue(routes);
    const registered = app.router.stack.flatMap(({ route }) =>
      route === undefined ? [] : route.stack.map(({ method }) => `${method.toUpperCase()} ${route.path}`),
    );
    expect(registered.length).toBe(routes.length);
    for (const one of registered) {
      const [method = '', path = ''] = one.split(' ');
      expect(catalogue.at(path)?.has(method)).toBe(true);
    }
  });

  it('routes without path parameters are answered at the edge, without Express', () => {
    const without = routes.filter(({ path }) => !path.includes(':'));
    expect(without.length).toBeGreaterThan(30);
    expect(without.filter(({ answer }) => answer === undefined).map(({ name }) => name)).toEqual([]);
    expect(routes.filter(({ answer, path }) => answer !== undefined && path.includes(':'))).toEqual([]);
  });
});

describe('the catalogue of routes', () => {
  it('finds a path exactly, and one with ids by its pattern', () => {
    const route: Route = {
      method: 'POST',
      path: '/api/admin/dead-letters/:id/replay',
      credential: 'admin',
      knownQuery: new Map(),
      body: undefined,
    };
    const catalogue = new RouteCatalogue([route]);
    expect(catalogue.at('/api/admin/dead-letters/7-1/replay')?.get('POST')).toBe(route);
    for (const path of [
      '/api/admin/dead-letters/7-1/replay/',
      '/api/admin/dead-letters//replay',
      '/api/admin/dead-letters/7/1/replay',
      '/API/admin/dead-letters/7-1/replay',
    ]) {
      expect(catalogue.at(path)).toBeUndefined();
    }
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
