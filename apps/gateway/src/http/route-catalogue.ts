import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { type ModulesContainer } from '@nestjs/core';
import type { EdgeResponse } from './exchange.js';
import type { QueryParameter, QueryParameters } from './query-reader.js';
import {
  type AnswerForms,
  ANSWERS,
  BODY_RULE,
  type BodyRule,
  CACHEABLE,
  CREDENTIAL_RULE,
  type CredentialRule,
  QUERY_PARAMETERS,
  RECEIVED_BODY,
  type ReceivedBody,
  REFUSALS_OF_ROUTE,
  SIGNED,
} from './route-rules.js';

export interface Route {
  readonly method: string;
  /** As declared: `/api/admin/dead-letters/:id/replay`. */
  readonly path: string;
  readonly credential: CredentialRule;
  readonly knownQuery: ReadonlyMap<string, QueryParameter>;
  /** Undefined where no body is read, or the controller reads it itself. */
  readonly body: BodyRule | undefined;
  /** The controller's method: `ProductsController.create`. */
  readonly name?: string;
  readonly answers?: AnswerForms | undefined;
  /** Undefined where the controller does not read a body itself. */
  readonly receives?: ReceivedBody | undefined;
  /** Statuses of refusals beside those that the other rules imply. */
  readonly refuses?: readonly number[];
  readonly isCacheable?: boolean;
  readonly isSigned?: boolean;
  /**
   * The controller's method, where the edge calls it: the path has no parameters, and the method takes only the
   * response. Express and Nest would route it again, for a tenth of the gateway's processor time.
   */
  readonly answer?: (response: EdgeResponse) => void | Promise<void>;
}

/** The methods of one address, each with its route. */
export type RoutesHere = ReadonlyMap<string, Route>;

/**
 * Every route that the application's controllers declare, with its rules: one list for routing, for 405's
 * `Allow`, for preflights, and for the test that every route is guarded.
 */
export class RouteCatalogue {
  private readonly exact = new Map<string, Map<string, Route>>();
  private readonly patterns: { readonly pattern: RegExp; readonly methods: Map<string, Route> }[] = [];

  constructor(readonly routes: readonly Route[]) {
    for (const route of routes) this.add(route);
  }

  /** Methods and routes at this path, or undefined for an unknown path. */
  at(path: string): RoutesHere | undefined {
    return this.exact.get(path) ?? this.patterns.find(({ pattern }) => pattern.test(path))?.methods;
  }

  private add(route: Route): void {
    const known = this.exact.get(route.path) ?? new Map<string, Route>();
    known.set(route.method, route);
    if (!this.exact.has(route.path) && hasParameters(route)) {
      const source = route.path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\/:[A-Za-z_]+/g, '/[^/]+');
      this.patterns.push({ pattern: new RegExp(`^${source}$`), methods: known });
    }
    this.exact.set(route.path, known);
  }
}

/** @throws Error naming a route that declares no credential rule: such a gateway does not start */
export function routesOf(modules: ModulesContainer): Route[] {
  return [...modules.values()]
    .flatMap((module) => [...module.controllers.values()])
    .flatMap(({ metatype, instance }) =>
      typeof metatype === 'function' ? routesOfController(metatype, instance) : [],
    );
}

/** The same for controllers without instances: their declarations, without handlers. */
export function routesOfControllers(controllers: readonly ControllerClass[]): Route[] {
  return controllers.flatMap((controller) => routesOfController(controller, undefined));
}

interface ControllerClass {
  readonly name: string;
  readonly prototype?: unknown;
}

type Controller = Readonly<Record<string, unknown>>;

function routesOfController(controller: ControllerClass, instance: unknown): Route[] {
  const prefix: unknown = Reflect.getMetadata(PATH_METADATA, controller);
  const prototype = controller.prototype as Record<string, unknown>;
  return Object.getOwnPropertyNames(prototype)
    .map((name) => ({ name, handler: prototype[name] }))
    .filter((member): member is { name: string; handler: object } => typeof member.handler === 'function')
    .filter(({ handler }) => Reflect.hasMetadata(METHOD_METADATA, handler))
    .map(({ name, handler }) => {
      const route = routeOf(`${controller.name}.${name}`, String(prefix), handler);
      const isForEdge =
        instance !== undefined && !hasParameters(route) && takesOnlyResponse(controller, name);
      return isForEdge ? { ...route, answer: methodOf(instance as Controller, name) } : route;
    });
}

function hasParameters({ path }: Route): boolean {
  return path.includes('/:');
}

function takesOnlyResponse(controller: ControllerClass, name: string): boolean {
  const taken: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {};
  const kinds = Object.keys(taken as object);
  // Nest's key of a parameter is its kind and its position.
  return kinds.length === 1 && kinds[0] === `${RouteParamtypes.RESPONSE}:0`;
}

function methodOf(controller: Controller, name: string): NonNullable<Route['answer']> {
  const method = controller[name] as NonNullable<Route['answer']>;
  return method.bind(controller);
}

function routeOf(name: string, prefix: string, handler: object): Route {
  const rule: unknown = Reflect.getMetadata(CREDENTIAL_RULE, handler);
  if (rule === undefined) throw new Error(`${name} declares no credential rule (@Credential).`);
  const method: unknown = Reflect.getMetadata(METHOD_METADATA, handler);
  const path: unknown = Reflect.getMetadata(PATH_METADATA, handler);
  const query: unknown = Reflect.getMetadata(QUERY_PARAMETERS, handler) ?? {};
  return {
    name,
    method: RequestMethod[method as RequestMethod],
    path: `/${[prefix, String(path)].map(trimSlashes).filter(Boolean).join('/')}`,
    credential: rule as CredentialRule,
    knownQuery: new Map(Object.entries(query as QueryParameters)),
    body: Reflect.getMetadata(BODY_RULE, handler) as BodyRule | undefined,
    answers: Reflect.getMetadata(ANSWERS, handler) as AnswerForms | undefined,
    receives: Reflect.getMetadata(RECEIVED_BODY, handler) as ReceivedBody | undefined,
    refuses: (Reflect.getMetadata(REFUSALS_OF_ROUTE, handler) ?? []) as readonly number[],
    isCacheable: Reflect.hasMetadata(CACHEABLE, handler),
    isSigned: Reflect.hasMetadata(SIGNED, handler),
  };
}

function trimSlashes(path: string): string {
  return path.replace(/^\/+|\/+$/g, '');
}
