import { describe, expect, it } from '@jest/globals';
import type { WorkflowSecrets } from '@truetally/contracts/management';
import { FORMER_SECRET_MS, MAX_FORMER_SECRETS, replaceSecret } from './workflow.js';

const HOUR_MS = 3_600_000;
const secret = (hour: number) => ({ key_id: 'k', sealed: `secret of hour ${hour}` });
const FIRST: WorkflowSecrets = { ...secret(0), former_secrets: [] };

function changedEachHour(times: number): WorkflowSecrets {
  let secrets: WorkflowSecrets | undefined = FIRST;
  for (let hour = 1; hour <= times; hour += 1)
    secrets = secrets && replaceSecret(secrets, secret(hour), hour * HOUR_MS);
  expect(secrets).toBeDefined();
  return secrets ?? FIRST;
}

describe('secrets of a workflow', () => {
  it('each replaced secret signs for 24 hours from its change, however many changes follow', () => {
    const { sealed, former_secrets } = changedEachHour(2);
    expect(sealed).toBe(secret(2).sealed);
    expect(former_secrets).toEqual([
      { ...secret(1), until: new Date(2 * HOUR_MS + FORMER_SECRET_MS).toISOString() },
      { ...secret(0), until: new Date(HOUR_MS + FORMER_SECRET_MS).toISOString() },
    ]);
  });

  it('a change that would end the time of a secret is refused until one has ended, and then that one is forgotten', () => {
    const full = changedEachHour(MAX_FORMER_SECRETS);
    expect(replaceSecret(full, secret(30), HOUR_MS + FORMER_SECRET_MS - 1)).toBeUndefined();
    const next = replaceSecret(full, secret(30), HOUR_MS + FORMER_SECRET_MS);
    expect(next?.former_secrets.map(({ sealed }) => sealed)).not.toContain(secret(0).sealed);
    expect(next?.former_secrets).toHaveLength(MAX_FORMER_SECRETS);
  });
});
