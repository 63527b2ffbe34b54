import { CREDENTIAL_DEMANDS, type CredentialDemand } from '../credentials/credential-demand.js';
import type { RouteRules } from '../http/exchange.js';
import { isCallerRule } from '../http/route-rules.js';

/** A route's parts of the interface page, derived from its rules, so that nothing is defined twice. */
export interface RouteTraits {
  /** Undefined for routes that anybody may call. */
  readonly demand: CredentialDemand | undefined;
  /** Of members: unknown fields are refused, and a request may have a key or a version. */
  readonly isManaging: boolean;
  readonly takesIdempotencyKey: boolean;
  readonly takesVersion: boolean;
  /** Whether the workspace is picked by a header. */
  readonly picksWorkspace: boolean;
  readonly takesBody: boolean;
}

export function traitsOf({ credential, method, body, receives }: RouteRules): RouteTraits {
  const demand = isCallerRule(credential) ? CREDENTIAL_DEMANDS[credential] : undefined;
  const isManaging = demand?.bearer === 'id-token' || credential === 'admin';
  return {
    demand,
    isManaging,
    takesIdempotencyKey: isManaging && method === 'POST' && credential !== 'admin',
    takesVersion: isManaging && (method === 'PATCH' || method === 'DELETE'),
    picksWorkspace: demand?.bearer === 'id-token' && demand.workspace === 'picked',
    takesBody: body !== undefined || receives !== undefined,
  };
}

/** Statuses of every refusal that a route can give, in order (interface page, sections 1 to 3). */
export function refusalsOf(route: RouteRules): readonly number[] {
  const { demand, isManaging, takesIdempotencyKey, takesVersion, takesBody } = traitsOf(route);
  const { credential, path, isSigned, refuses = [] } = route;
  const isOpen = credential === 'public' && isSigned !== true;
  const lacksScope = demand?.scope != null && demand.scopeRefusal === 'scope-forbidden';
  const isRefused: Readonly<Record<number, boolean>> = {
    400: true,
    401: !isOpen,
    403: isManaging || lacksScope,
    404: path.includes('/:') || demand?.bearer === 'id-token',
    409: takesIdempotencyKey || takesVersion || (isManaging && takesBody),
    413: takesBody,
    415: takesBody,
    429: demand !== undefined,
    500: true,
    503: true,
  };
  const implied = Object.keys(isRefused)
    .map(Number)
    .filter((status) => isRefused[status] === true);
  return [...new Set([...implied, ...refuses])].toSorted((one, other) => one - other);
}
