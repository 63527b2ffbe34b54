import { compilePageSchema, compileSchema } from '@truetally/contracts/validation';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Route, RouteCatalogue } from '../http/route-catalogue.js';
import { applicationRoutes } from './application-routes.js';

/** The schemas of the classes that routes declare for their answers (`@Answers`, `@AnswersPageOf`). */
export class AnswerSchemas {
  private readonly compiled = new Map<Route, ValidateFunction>();

  private constructor(private readonly catalogue: RouteCatalogue) {}

  static async open(): Promise<AnswerSchemas> {
    return new AnswerSchemas(new RouteCatalogue((await applicationRoutes()).routes));
  }

  /** `GET /api/v1/sites/:site_id` and so on: the routes that declare a class. */
  get declared(): readonly string[] {
    return this.catalogue.routes.filter(({ answers }) => answers !== undefined).map(nameOf);
  }

  /** The route of a request, and where its answer breaks the class's schema. */
  judge(method: string, path: string, data: unknown): { readonly route: string; readonly faults: unknown } {
    const route = this.catalogue.at(path)?.get(method);
    if (route === undefined) throw new Error(`No route is at ${method} ${path}.`);
    const validate = this.compiled.get(route) ?? compile(route);
    this.compiled.set(route, validate);
    return { route: nameOf(route), faults: validate(data) ? [] : validate.errors };
  }
}

function nameOf({ method, path }: Route): string {
  return `${method} ${path}`;
}

/** No field may be there that the class does not name. */
function compile(route: Route): ValidateFunction {
  if (route.answers === undefined) throw new Error(`${nameOf(route)} declares no class of its answer.`);
  const { of, isPage } = route.answers;
  const compileClass = isPage ? compilePageSchema : compileSchema;
  const { schema, formats } = compileClass(of, { unknownFields: 'refused-everywhere' });
  const ajv = new Ajv2020({ formats, strict: true, strictTypes: false, strictRequired: false });
  ajv.addKeyword({ keyword: 'x-distinct-by', type: 'array', schemaType: 'string' });
  return ajv.compile(schema);
}
