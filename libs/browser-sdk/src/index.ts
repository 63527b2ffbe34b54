import { createClient } from './client.js';
import { inertClient } from './inert-client.js';
import { browserPlatform } from './platform.js';
import type { Truetally } from './types.js';

/** The client of this page; on a server every method does nothing. */
const client: Truetally = typeof window === 'undefined' ? inertClient : browserClient();

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
