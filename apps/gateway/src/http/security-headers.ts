import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';

/**
 * Helmet's headers for an API that answers JSON and is read by other origins: computed once, because they never
 * change, as the flat list of names and values that `writeHead` takes.
 */
export function securityHeaders(): readonly string[] {
  const collected = new Map<string, string>();
  const response = {
    setHeader: (name: string, value: string) => collected.set(name, value),
    removeHeader: (name: string) => collected.delete(name),
  };
  const apply = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
  });
  apply({} as IncomingMessage, response as unknown as ServerResponse, () => undefined);
  return [...collected].flat();
}
