import type { Exchange } from '../../http/exchange.js';
import type { Outcome } from './step.js';

/** Refuses query parameters that the route does not declare with 400, naming each. */
export function checkQuery({ query, route }: Exchange): Outcome {
  if (query === undefined) return undefined;
  const unknown = [...new Set(query.keys())].filter((name) => route?.knownQuery.has(name) !== true);
  if (unknown.length === 0) return undefined;
  const named = unknown.map((name) => [name.toWellFormed(), ['is not a known query parameter']] as const);
  return { name: 'unknown-query', details: Object.fromEntries(named) };
}
