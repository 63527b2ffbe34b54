import type { IncomingMessage } from 'node:http';
import { CREDENTIAL_DEMANDS } from '../credentials/credential-demand.js';
import type { Route, RoutesHere } from '../http/route-catalogue.js';
import { isCallerRule } from '../http/route-rules.js';

/** The route of a request; of a preflight, the route that it announces. */
export function meantRoute(
  { method = '', headers }: IncomingMessage,
  routesHere: RoutesHere | undefined,
): Route | undefined {
  const meant = method === 'OPTIONS' ? String(headers['access-control-request-method']) : method;
  return routesHere?.get(meant) ?? (meant === 'HEAD' ? routesHere?.get('GET') : undefined);
}

/**
 * Whether an answer is only for the dashboard's pages. Where a request matches no route, one route of members
 * at the address is enough: a shop's page learns nothing about it (interface page, section 2).
 */
export function isForMembers(request: IncomingMessage, routesHere: RoutesHere | undefined): boolean {
  const route = meantRoute(request, routesHere);
  if (route !== undefined) return takesMembers(route);
  return routesHere !== undefined && [...routesHere.values()].some(takesMembers);
}

export function takesMembers({ credential }: Route): boolean {
  return isCallerRule(credential) && CREDENTIAL_DEMANDS[credential].bearer === 'id-token';
}
