import type { IntegrationPatch, IntegrationResource } from '@truetally/contracts/management';
import { changedResource } from '@truetally/contracts/resource';
import { fail, type FieldErrors, type Result, succeed } from '@truetally/kernel';

const UNTRIED = { status: 'pending', last_error: null } as const;

/**
 * An integration with what a patch names. It stays that of its site and network, for which its credentials and what is
 * pulled with them stand; whether new settings work is not known before the next pull.
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
  const isUntried = patch.credentials !== undefined || base_url !== integration.base_url;
  const { status, last_error } = isUntried ? UNTRIED : integration;
  return succeed(changedResource(integration, { base_url, status, last_error }, nowMs));
}
