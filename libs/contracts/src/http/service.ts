import type { ServiceEntry } from '../services/service-entry.js';

/**
 * The edge: authenticates, limits and asks the other services. Of a site it stores only the current hour's
 * limits.
 */
export const GATEWAY = {
  name: 'gateway',
  role: 'edge',
  commands: [],
  queries: [],
  requests: {},
  facts: {},
  isAskedToEraseSites: false,
  hasOutbox: false,
  localOperationsPort: 4181,
} as const satisfies ServiceEntry;
