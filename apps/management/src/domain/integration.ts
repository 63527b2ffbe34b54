import {
  integrationFaults,
  type IntegrationPatch,
  type IntegrationResource,
} from '@truetally/contracts/management';
import { changedResource, patchedResource } from '@truetally/contracts/resource';
import { fail, type FieldErrors, type Result, succeed } from '@truetally/kernel';

const UNTRIED = { status: 'pending', last_error: null } as const;

/**
 * An integration after a patch. Site and provider never change, because its credentials and settlements belong
 * to them; whether new settings work is known after the next pull.
 */
export function changedIntegration(
  integration: IntegrationResource,
  patch: IntegrationPatch,
  nowMs: number,
): Result<IntegrationResource, FieldErrors> {
  const moved = (['site_id', 'provider'] as const).filter(
    (name) => patch[name] !== undefined && patch[name] !== integration[name],
  );
  if (moved.length > 0) return fail(Object.fromEntries(moved.map((name) => [name, ['cannot be changed']])));
  const base_url = patch.base_url === undefined ? integration.base_url : patch.base_url;
  const faults = integrationFaults(integration.provider, { base_url, credentialsOf: patch.credentials_of });
  if (Object.keys(faults).length > 0) return fail(faults);
  const isUntried = patch.credentials !== undefined || base_url !== integration.base_url;
  const { status, last_error } = isUntried ? UNTRIED : integration;
  // New credentials change it, whatever else they leave as it is.
  const change = patch.credentials === undefined ? patchedResource : changedResource;
  return succeed(change(integration, { base_url, status, last_error }, nowMs));
}
