import { createClient } from './client.js';
import { browserPlatform } from './platform.js';
import type { Truetally } from './types.js';

/** The client of this page; on a server every method does nothing. */
const client: Truetally = createClient(
  typeof window === 'undefined' ? undefined : browserPlatform(),
  async () => (await import('./links.js')).decorateLinks,
);

export const { init, track, page, identify, setConsent, flush, onError, diagnostics } = client;
export type { EventProperties, EventType, PartnerLinkClick, RequiredProperties } from './event-types.js';
export type {
  Consent,
  ConsentChoice,
  Diagnostics,
  ErrorListener,
  EventProof,
  Options,
  RequestRecord,
  SdkError,
  Truetally,
} from './types.js';
