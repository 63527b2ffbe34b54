import { auditActor } from '@truetally/contracts/facts';
import type { Caller } from './caller.js';

/**
 * The caller as the audit log names it (interface page, section 9). A page's runtime token changes nothing
 * that is audited.
 */
export function actorName(caller: Caller): string {
  if (caller.kind !== 'site') return auditActor({ sub: caller.subject });
  if (caller.keyPrefix === null) throw new Error('A page changes nothing that the audit log tells of.');
  return auditActor({ keyPrefix: caller.keyPrefix });
}
