import type { ServiceEntry } from '../services/service-entry.js';

/**
 * The edge: authenticates, limits and asks the other services. Of a site it stores only the current hour's
 * limits.
 */
export const GATEWAY = {
  name: 'gateway',
  role: 'edge',
  operations: {},
  facts: {},
  follows: [],
  holds: ['sites', 'credentials', 'members', 'campaigns', 'experiments'],
  watches: ['eventsStored'],
  isAskedToEraseSites: false,
  knowsPeopleBy: 'nothing',
  hasOutbox: false,
  localOperationsPort: 4181,
} as const satisfies ServiceEntry;
