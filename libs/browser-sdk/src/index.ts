import { createClient } from './client.js';
import { inertClient } from './inert-client.js';
import { browserPlatform } from './platform.js';
import type { Truetally } from './types.js';

/** The client of this page; every method does nothing on a server, and in the windows of tests, which lack some of it (jsdom, happy-dom). */
const client: Truetally = [typeof window, typeof fetch, typeof origin].includes('undefined')
  ? inertClient
  : browserClient();

export const { init, track, page, identify, setConsent, flush, attribution, onError, diagnostics } = client;
export type { EventProperties, EventType, PartnerLinkClick, RequiredProperties } from './event-types.js';
export type {
  Attribution,
  Consent,
  ConsentChoice,
  Diagnostics,
  ErrorListener,
  EventProof,
  Labels,
  Options,
  RequestRecord,
  SdkError,
  Truetally,
} from './types.js';

function browserClient(): Truetally {
  return createClient(browserPlatform(), async () => (await import('./onsite.js')).startOnsite);
}
