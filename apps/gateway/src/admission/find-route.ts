import type { Exchange } from '../http/exchange.js';
import type { RoutesHere } from '../http/route-catalogue.js';
import { answerOptions } from './cors.js';
import { meantRoute } from './meant-route.js';
import { isDecodable } from './request-target.js';
import type { Outcome } from './step.js';

/** 404 for an unknown path, 405 for another method; OPTIONS is answered for every existing address. */
export function findRoute(exchange: Exchange): Outcome {
  const { request, routesHere } = exchange;
  if (routesHere === undefined) return { name: 'not-found' };
  if (request.method === 'OPTIONS') {
    answerOptions(exchange, routesHere);
    return 'answered';
  }
  exchange.route = meantRoute(request, routesHere);
  if (exchange.route !== undefined)
    return isDecodable(exchange.path ?? '') ? undefined : { name: 'malformed-request' };
  return { name: 'method-not-allowed', headers: ['Allow', methodsOf(routesHere)] };
}

function methodsOf(routesHere: RoutesHere): string {
  return [...routesHere.keys()].join(', ');
}
