import { ErrorEnvelope, Meta } from '@truetally/contracts/http';
import { compilePageSchema, compileSchema, type DtoClass } from '@truetally/contracts/validation';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { refusalsOf } from '../../describe-api/route-traits.js';
import type { Params, RouteRules } from '../../http/exchange.js';
import { RouteCatalogue } from '../../door/routes.js';
import type { AnswerForm } from '../../http/route-rules.js';
import { applicationRoutes } from '../application-routes.js';

/** A received answer; the body is parsed if it is JSON. */
export interface Received {
  readonly status: number;
  readonly contentType: string;
  readonly body: unknown;
}

export interface Judgement {
  /** `POST /api/v1/sites 201`. */
  readonly name: string;
  readonly faults: unknown;
}

const FIRST_REFUSAL = 400;
const NOT_MODIFIED = 304;
const STRICT = { unknownFields: 'refused-everywhere' } as const;

/** The schemas of the declared answers of routes (`@Answers` and the like), and of every refusal. */
export class AnswerSchemas {
  private readonly compiled = new Map<AnswerForm, ValidateFunction>();
  private readonly isRefusal = validatorOf(ErrorEnvelope, false);
  private readonly isMeta = validatorOf(Meta, false);

  private constructor(private readonly catalogue: RouteCatalogue) {}

  static async open(): Promise<AnswerSchemas> {
    return new AnswerSchemas(new RouteCatalogue((await applicationRoutes()).routes));
  }

  get routes(): readonly RouteRules[] {
    return this.catalogue.routes;
  }

  /** Every declared success, by route and status. */
  get declared(): readonly string[] {
    return this.routes.flatMap((route) =>
      Object.keys(route.answers ?? {}).map((status) => `${nameOf(route)} ${status}`),
    );
  }

  /** @throws Error when there is none */
  routeAt(method: string, path: string): { readonly route: RouteRules; readonly params: Params } {
    const here = this.catalogue.at(path);
    const route = here?.methods.get(method);
    if (here === undefined || route === undefined) throw new Error(`No route is at ${method} ${path}.`);
    return { route, params: here.params ?? {} };
  }

  /** Differences between an answer and the declaration of its route. */
  judge(method: string, path: string, received: Received): Judgement {
    const { route } = this.routeAt(method, path);
    const { status, contentType, body } = received;
    const name = `${nameOf(route)} ${status}`;
    if (status >= FIRST_REFUSAL) {
      const isDeclared = refusalsOf(route).includes(status);
      return { name, faults: isDeclared ? this.faultsOfRefusal(received) : [`${status} is not declared`] };
    }
    if (status === NOT_MODIFIED) {
      return { name, faults: body === '' && route.isCacheable === true ? [] : ['not a 304 of this route'] };
    }
    const form = route.answers?.[status];
    if (form === undefined) return { name, faults: [`${status} is not declared`] };
    if ('mediaTypes' in form) {
      const isDeclared = form.mediaTypes.some((type) => contentType.startsWith(type));
      return { name, faults: isDeclared ? [] : [`${contentType} is not declared`] };
    }
    return { name, faults: this.faultsOfSuccess(form, received) };
  }

  /** Whether `data` matches a schema. */
  faultsOfData(form: AnswerForm, data: unknown): unknown {
    if ('mediaTypes' in form) throw new Error('A file has no data.');
    const validate = this.compiled.get(form) ?? validatorOf(form.of, form.isPage);
    this.compiled.set(form, validate);
    return validate(data) ? [] : validate.errors;
  }

  private faultsOfSuccess(form: AnswerForm, { body, contentType }: Received): unknown {
    const { success, data, meta, ...others } = body as Readonly<Record<string, unknown>>;
    if (success !== true || Object.keys(others).length > 0 || !contentType.startsWith('application/json')) {
      return ['not the envelope of a success'];
    }
    return this.isMeta(meta) ? this.faultsOfData(form, data) : this.isMeta.errors;
  }

  private faultsOfRefusal({ body }: Received): unknown {
    return this.isRefusal(body) ? [] : this.isRefusal.errors;
  }
}

export function nameOf({ method, path }: RouteRules): string {
  return `${method} ${path}`;
}

/** Fields that the class does not have are errors. */
function validatorOf(dto: DtoClass<object>, isPage: boolean): ValidateFunction {
  const { schema, formats } = (isPage ? compilePageSchema : compileSchema)(dto, STRICT);
  const ajv = new Ajv2020({ formats, strict: true, strictTypes: false, strictRequired: false });
  ajv.addKeyword({ keyword: 'x-distinct-by', type: 'array', schemaType: 'string' });
  return ajv.compile(schema);
}
