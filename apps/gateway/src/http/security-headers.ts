import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';

/** Sources by directive, as helmet names them. */
type ContentSecurityPolicy = Readonly<Record<string, string[]>>;

const OF_AN_API: ContentSecurityPolicy = { defaultSrc: ["'none'"], frameAncestors: ["'none'"] };

/**
 * Helmet's headers, computed once as the flat list for `writeHead`: those that matter for a JSON API (OWASP
 * REST security cheat sheet). Headers for pages, frames and old browsers are left out, because each header is
 * written, sent and parsed with every answer.
 * @param policy of the one page that the gateway has
 */
export function securityHeaders(policy: ContentSecurityPolicy = OF_AN_API): readonly string[] {
  const collected = new Map<string, string>();
  const response = {
    setHeader: (name: string, value: string) => collected.set(name, value),
    removeHeader: (name: string) => collected.delete(name),
  };
  const apply = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: policy },
    frameguard: { action: 'deny' },
    crossOriginOpenerPolicy: false,
    crossOriginResourcePolicy: false,
    originAgentCluster: false,
    referrerPolicy: false,
    dnsPrefetchControl: false,
    ieNoOpen: false,
    permittedCrossDomainPolicies: false,
    xssFilter: false,
  });
  apply({} as IncomingMessage, response as unknown as ServerResponse, () => undefined);
  return [...collected].flat();
}
