import type { Scope } from '@truetally/contracts';
import type { CallerRule } from '../http/route-rules.js';

/** What a route's rule asks of the credential that its caller brings. */
export interface CredentialDemand {
  /** The scope that an API key must hold; null where no API key is taken. */
  readonly scope: Scope | null;
  /** A key without it: 401 on event routes (given), 403 elsewhere (interface page, section 2). */
  readonly scopeRefusal: 'scope-missing' | 'scope-forbidden';
  readonly takesRuntimeToken: boolean;
  /** Whether a page's beacon may bring its credential in the body. */
  readonly takesBeacon: boolean;
}

const EVENT_WRITER: CredentialDemand = {
  scope: 'events:write',
  scopeRefusal: 'scope-missing',
  takesRuntimeToken: true,
  takesBeacon: false,
};
const TRUSTED_BACKEND = {
  scopeRefusal: 'scope-forbidden',
  takesRuntimeToken: false,
  takesBeacon: false,
} as const;

/** Every rule of a route whose caller speaks for a site. */
export const CREDENTIAL_DEMANDS: Readonly<Record<CallerRule, CredentialDemand>> = {
  'event-writer': EVENT_WRITER,
  'event-writer-or-beacon': { ...EVENT_WRITER, takesBeacon: true },
  'touch-writer-or-beacon': {
    scope: null,
    scopeRefusal: 'scope-forbidden',
    takesRuntimeToken: true,
    takesBeacon: true,
  },
  'conversion-writer': { ...TRUSTED_BACKEND, scope: 'partner_attribution:convert' },
  'attribution-reader': { ...TRUSTED_BACKEND, scope: 'partner_attribution:read' },
};
