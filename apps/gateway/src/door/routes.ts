import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner, type ModulesContainer } from '@nestjs/core';
import type { Params, Route, RouteRules, RoutesHere } from '../http/exchange.js';
import type { QueryParameters } from '../http/query-reader.js';
import {
  type AnswerForms,
  ANSWERS,
  BODY_RULE,
  type BodyRule,
  CACHEABLE,
  CREDENTIAL_RULE,
  type CredentialRule,
  demandOf,
  QUERY_PARAMETERS,
  RECEIVED_BODY,
  type ReceivedBody,
  REFUSALS_OF_ROUTE,
  SIGNED,
  STREAMS,
} from '../http/route-rules.js';
import { refuseIneffectiveDecorators } from './ineffective-decorators.js';

interface Pattern {
  readonly shape: string;
  readonly matcher: RegExp;
  readonly names: readonly string[];
  readonly methods: Map<string, Route>;
}

const PARAMETER = /\/:([A-Za-z_]+)/g;

/**
 * Every route that the application's controllers declare, with its rules: one list for dispatch, for 405's `Allow`,
 * for preflights, and for the test that every route is guarded.
 */
export class RouteCatalogue {
  private readonly exact = new Map<
    string,
    { readonly methods: Map<string, Route>; readonly params: Params }
  >();
  private readonly patterns: Pattern[] = [];

  constructor(readonly routes: readonly Route[]) {
    for (const route of routes) {
      const methods = route.path.includes('/:') ? this.ofPattern(route) : this.ofExact(route);
      if (methods.has(route.method)) throw new Error(`${route.method} ${route.path} is declared twice.`);
      methods.set(route.method, route);
    }
  }

  /** Undefined for an unknown path. */
  at(path: string): RoutesHere | undefined {
    const exact = this.exact.get(path);
    if (exact !== undefined) return exact;
    for (const { matcher, names, methods } of this.patterns) {
      const found = matcher.exec(path);
      if (found !== null) return { methods, params: decode(names, found) };
    }
    return undefined;
  }

  private ofExact({ path }: Route): Map<string, Route> {
    const known = this.exact.get(path) ?? { methods: new Map<string, Route>(), params: {} };
    this.exact.set(path, known);
    return known.methods;
  }

  private ofPattern({ path }: Route): Map<string, Route> {
    const names = [...path.matchAll(PARAMETER)].map(([, name = '']) => name);
    const shape = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(PARAMETER, '/([^/]+)');
    const known = this.patterns.find((pattern) => pattern.shape === shape);
    if (known === undefined) {
      const added = { shape, matcher: new RegExp(`^${shape}$`), names, methods: new Map<string, Route>() };
      this.patterns.push(added);
      return added.methods;
    }
    if (known.names.join() !== names.join()) {
      throw new Error(`${path} names the values of its address otherwise than another route does.`);
    }
    return known.methods;
  }
}

function decode(names: readonly string[], found: RegExpExecArray): Params | undefined {
  const params: Record<string, string> = {};
  try {
    names.forEach((name, index) => {
      const value = found[index + 1] ?? '';
      params[name] = value.includes('%') ? decodeURIComponent(value) : value;
    });
  } catch {
    return undefined;
  }
  return params;
}

/**
 * @throws Error naming a route that declares no credential rule, or a decorator that would have no effect: such a
 * gateway does not start
 */
export function routesOf(modules: ModulesContainer): Route[] {
  refuseIneffectiveDecorators(modules);
  return [...modules.values()]
    .flatMap((module) => [...module.controllers.values()])
    .flatMap(({ metatype, instance }) => {
      if (typeof metatype !== 'function') return [];
      const controller = instance as Controller;
      return methodsOf(metatype).map(({ name, handler }) => ({
        ...rulesOf(metatype, name, handler),
        answer: boundTo(controller, name),
      }));
    });
}

/** The declarations of controllers without instances. */
export function routesOfControllers(controllers: readonly ControllerClass[]): RouteRules[] {
  return controllers.flatMap((controller) =>
    methodsOf(controller).map(({ name, handler }) => rulesOf(controller, name, handler)),
  );
}

interface ControllerClass {
  readonly name: string;
  readonly prototype?: unknown;
}

type Controller = Readonly<Record<string, Route['answer']>>;

function methodsOf({
  prototype,
}: ControllerClass): readonly { readonly name: string; readonly handler: object }[] {
  const members = prototype as Record<string, unknown>;
  return new MetadataScanner()
    .getAllMethodNames(members)
    .map((name) => ({ name, handler: members[name] }))
    .filter((member): member is { name: string; handler: object } => typeof member.handler === 'function')
    .filter(({ handler }) => Reflect.hasMetadata(METHOD_METADATA, handler));
}

function boundTo(controller: Controller, name: string): Route['answer'] {
  const method = controller[name];
  if (method === undefined) throw new Error(`${name} is no method.`);
  return method.bind(controller);
}

function rulesOf(controller: ControllerClass, method: string, handler: object): RouteRules {
  const name = `${controller.name}.${method}`;
  const rule: unknown = Reflect.getMetadata(CREDENTIAL_RULE, handler);
  if (rule === undefined) throw new Error(`${name} declares no credential rule (@Credential).`);
  const verb: unknown = Reflect.getMetadata(METHOD_METADATA, handler);
  const query: unknown = Reflect.getMetadata(QUERY_PARAMETERS, handler) ?? {};
  const path = [Reflect.getMetadata(PATH_METADATA, controller), Reflect.getMetadata(PATH_METADATA, handler)];
  return {
    name,
    method: RequestMethod[verb as RequestMethod],
    path: `/${path
      .map((part) => trimSlashes(String(part)))
      .filter(Boolean)
      .join('/')}`,
    credential: rule as CredentialRule,
    demand: demandOf(rule as CredentialRule),
    knownQuery: new Map(Object.entries(query as QueryParameters)),
    body: Reflect.getMetadata(BODY_RULE, handler) as BodyRule | undefined,
    answers: Reflect.getMetadata(ANSWERS, handler) as AnswerForms | undefined,
    receives: Reflect.getMetadata(RECEIVED_BODY, handler) as ReceivedBody | undefined,
    refuses: (Reflect.getMetadata(REFUSALS_OF_ROUTE, handler) ?? []) as readonly number[],
    isCacheable: Reflect.hasMetadata(CACHEABLE, handler),
    isStreamed: Reflect.hasMetadata(STREAMS, handler),
    isSigned: Reflect.hasMetadata(SIGNED, handler),
  };
}

function trimSlashes(path: string): string {
  return path.replace(/^\/+|\/+$/g, '');
}
