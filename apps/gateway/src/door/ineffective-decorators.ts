import { RequestMethod } from '@nestjs/common';
import {
  CONTROLLER_WATERMARK,
  EXCEPTION_FILTERS_METADATA,
  GLOBAL_MODULE_METADATA,
  GUARDS_METADATA,
  HEADERS_METADATA,
  HOST_METADATA,
  HTTP_CODE_METADATA,
  INTERCEPTORS_METADATA,
  METHOD_METADATA,
  MODULE_METADATA,
  PATH_METADATA,
  PIPES_METADATA,
  REDIRECT_METADATA,
  RENDER_METADATA,
  ROUTE_ARGS_METADATA,
  SCOPE_OPTIONS_METADATA,
  SSE_METADATA,
  VERSION_METADATA,
} from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { MetadataScanner, type ModulesContainer } from '@nestjs/core';
import { ROUTE_RULES } from '../http/route-rules.js';

/** What each decorator writes, for the error. */
const DECORATORS: Readonly<Record<string, string>> = {
  [GUARDS_METADATA]: '@UseGuards',
  [PIPES_METADATA]: '@UsePipes',
  [INTERCEPTORS_METADATA]: '@UseInterceptors',
  [EXCEPTION_FILTERS_METADATA]: '@UseFilters',
  [HEADERS_METADATA]: '@Header',
  [HTTP_CODE_METADATA]: '@HttpCode',
  [REDIRECT_METADATA]: '@Redirect',
  [RENDER_METADATA]: '@Render',
  [SSE_METADATA]: '@Sse',
  [VERSION_METADATA]: '@Version',
  [HOST_METADATA]: 'host of @Controller',
  [SCOPE_OPTIONS_METADATA]: 'scope of @Controller',
};

/** What the edge reads, and what is written beside it without a request of ours. Anything else is refused. */
const ON_METHODS: ReadonlySet<unknown> = new Set([METHOD_METADATA, PATH_METADATA, ...ROUTE_RULES]);
const ON_CONTROLLERS: ReadonlySet<unknown> = new Set([CONTROLLER_WATERMARK, PATH_METADATA]);
const ON_MODULES: ReadonlySet<unknown> = new Set([...Object.values(MODULE_METADATA), GLOBAL_MODULE_METADATA]);
/** Of constructors: what Nest injects. */
const OF_INJECTION = /^(?:design|self|optional):/;

const METHODS: ReadonlySet<unknown> = new Set([
  RequestMethod.GET,
  RequestMethod.POST,
  RequestMethod.PUT,
  RequestMethod.PATCH,
  RequestMethod.DELETE,
]);
const PATH = /^[\w./:-]*$/;
/** Nest's key of a provider that applies to every route: `APP_GUARD (UUID: …)`. */
const FOR_ALL_ROUTES = /^APP_(?:GUARD|PIPE|INTERCEPTOR|FILTER)\b/;

type Class = abstract new (...parameters: never[]) => unknown;

/**
 * Nest's own routing is not used (docs/decisions/http-edge.md), so that its guards, pipes, interceptors, filters,
 * middlewares, headers and parameters would be ignored. A guard that guards nothing is worse than none.
 * @throws Error naming the decorator and its place: such a gateway does not start
 */
export function refuseIneffectiveDecorators(modules: ModulesContainer): void {
  for (const module of modules.values()) {
    refuseOnModule(module.metatype);
    for (const key of [...module.providers.keys(), ...module.injectables.keys()]) {
      if (typeof key === 'string' && FOR_ALL_ROUTES.test(key)) {
        throw ineffective(String(key.split(' ')[0]), module.metatype.name);
      }
    }
    for (const controller of module.controllers.values()) {
      if (typeof controller.metatype !== 'function') continue;
      refuseOnController(controller.metatype as Class);
      if (!controller.isDependencyTreeStatic()) {
        throw ineffective('scope of a part', controller.metatype.name);
      }
    }
  }
}

function refuseOnModule(module: Class): void {
  refuseUnknown(module, ON_MODULES, module.name);
  const prototype = module.prototype as { readonly configure?: unknown };
  if (prototype.configure !== undefined) throw ineffective('middleware', `${module.name}.configure`);
}

function refuseOnController(controller: Class): void {
  refuseUnknown(controller, ON_CONTROLLERS, controller.name);
  refusePath(controller, controller.name);
  const prototype = controller.prototype as Readonly<Record<string, unknown>>;
  for (const name of new MetadataScanner().getAllMethodNames(prototype)) {
    const place = `${controller.name}.${name}`;
    const handler = prototype[name];
    if (typeof handler !== 'function') continue;
    refuseUnknown(handler, ON_METHODS, place);
    refusePath(handler, place);
    const parameters: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name);
    const [parameter] = Object.keys(parameters ?? {});
    if (parameter !== undefined) throw ineffective(parameterDecorator(parameter), place);
    const method: unknown = Reflect.getMetadata(METHOD_METADATA, handler);
    if (method !== undefined && !METHODS.has(method)) {
      throw ineffective(`@${RequestMethod[method as RequestMethod]}`, place);
    }
  }
}

function refuseUnknown(target: object, known: ReadonlySet<unknown>, place: string): void {
  for (const key of Reflect.getMetadataKeys(target) as readonly unknown[]) {
    if (known.has(key) || OF_INJECTION.test(String(key))) continue;
    if (isLeftOut(Reflect.getMetadata(key, target))) continue;
    throw ineffective(DECORATORS[String(key)] ?? `The metadata "${String(key)}"`, place);
  }
}

/** `@Controller` writes also what it was not given. */
function isLeftOut(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === undefined;
  return Object.values(value).every((member) => member === undefined) && !Array.isArray(value);
}

/** Several paths, or a pattern other than `:name`, are Nest's. */
function refusePath(target: object, place: string): void {
  const path: unknown = Reflect.getMetadata(PATH_METADATA, target);
  if (path === undefined || (typeof path === 'string' && PATH.test(path))) return;
  throw ineffective(`The path ${JSON.stringify(path)}`, place);
}

/** Nest's key of a parameter is its kind and its position; of a custom decorator, a random name and the position. */
function parameterDecorator(key: string): string {
  const name = RouteParamtypes[Number(key.split(':')[0])];
  if (name === undefined) return 'A parameter decorator';
  return `@${name.charAt(0)}${name.slice(1).toLowerCase()}`;
}

function ineffective(decorator: string, place: string): Error {
  return new Error(
    `${decorator} on ${place} would have no effect: every route goes through the edge (docs/decisions/http-edge.md).`,
  );
}
