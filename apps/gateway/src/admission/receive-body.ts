import type { Exchange } from '../http/exchange.js';
import type { AdmissionParts, Outcome } from './step.js';

/** Reads the body of a route with one, within its caller's limits. */
export function receiveBody(exchange: Exchange, { bodies }: AdmissionParts): Outcome | Promise<Outcome> {
  const rule = exchange.route?.body;
  if (rule === undefined || (rule.isOptional && !carriesBody(exchange))) return undefined;
  return bodies.read(exchange, rule).then((read) => {
    if ('fault' in read) return read.fault;
    exchange.keepBody(read.body);
    exchange.cost = rule.costOf(read.body);
    return undefined;
  });
}

function carriesBody({ request: { headers } }: Exchange): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
