import type { ServiceEntry } from '../services/service-entry.js';

/** The door: authenticates, limits, asks the others. It keeps nothing of a site but this hour's limits. */
export const GATEWAY = {
  name: 'gateway',
  role: 'edge',
  requests: {},
  facts: {},
  isAskedToEraseSites: false,
  hasOutbox: false,
  localOperationsPort: 4181,
} as const satisfies ServiceEntry;
