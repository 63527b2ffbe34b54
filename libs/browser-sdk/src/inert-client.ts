import { VERSION } from './client.js';
import type { Truetally } from './types.js';

/** Of a page that is rendered on a server: every method does nothing. */
export const inertClient: Truetally = {
  init: () => undefined,
  track: () => undefined,
  page: () => undefined,
  identify: () => undefined,
  setConsent: () => undefined,
  flush: () => Promise.resolve([]),
  attribution: () => undefined,
  onError: () => () => undefined,
  diagnostics: () => ({
    version: VERSION,
    site_id: undefined,
    endpoint: undefined,
    consent: 'required',
    storage: 'memory',
    waiting: 0,
    dropped: 0,
    paused_until: 0,
    requests: [],
  }),
};
