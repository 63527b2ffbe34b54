import { describe, expect, it } from '@jest/globals';
import { NO_WORKSPACE } from '@truetally/contracts/management';
import { OPERATIONS } from '@truetally/contracts/topics';
import { formatAddress, readAddress } from '@truetally/kernel';
import { changedBy } from './newer-change.js';

const id = (digit: number): string => `${String(digit).repeat(8)}-0000-4000-8000-000000000000`;
const WORKSPACE = id(1);
const SITE = id(2);
const OTHER = id(3);

function bytesOf(params: Readonly<Record<string, string>>, workspaceId = WORKSPACE): Buffer {
  const command = { workspace_id: workspaceId, actor: null, params, version: null, idempotency: null };
  return Buffer.from(JSON.stringify({ ...command, body: {} }));
}

describe('what a command changes', () => {
  it.each([
    ['updateSite', { site_id: SITE }, [SITE]],
    ['updateApiKey', { site_id: SITE, key_id: OTHER }, [OTHER]],
    ['updateMember', { workspace_id: WORKSPACE, member_id: OTHER }, [OTHER]],
    ['updateWorkspace', { workspace_id: WORKSPACE }, [WORKSPACE]],
    ['updateExperiment', { experiment_id: OTHER }, [OTHER]],
    ['updateProduct', { id: OTHER }, [OTHER]],
    ['deleteCampaign', { campaign_id: OTHER }, [OTHER]],
  ] as const)(
    'the changed resource of a command is the innermost of its path: %s',
    (operation, params, ids) => {
      const changed = changedBy(OPERATIONS[operation].address, bytesOf(params));
      expect(changed).toEqual({ workspaceId: WORKSPACE, ids, kinds: [] });
    },
  );

  it('the changed resource of a command is of its own kind where the path does not name it', () => {
    const membership = bytesOf({ workspace_id: WORKSPACE }, NO_WORKSPACE);
    const members = { workspaceId: WORKSPACE, ids: [], kinds: ['member'] };
    expect(changedBy(OPERATIONS.acceptMembership.address, membership)).toEqual(members);
    expect(changedBy(OPERATIONS.declineMembership.address, membership)).toEqual(members);
    const catalogue = { workspaceId: WORKSPACE, ids: [], kinds: ['catalogue', 'product'] };
    expect(changedBy(OPERATIONS.putProducts.address, bytesOf({ id: SITE }))).toEqual(catalogue);
  });

  it('the workspace itself is what a command changes where the platform acts', () => {
    const changed = changedBy(
      OPERATIONS.administerWorkspace.address,
      bytesOf({ id: WORKSPACE }, NO_WORKSPACE),
    );
    expect(changed).toEqual({ workspaceId: WORKSPACE, ids: [WORKSPACE], kinds: [] });
  });

  it('no older resource is changed by one that adds, a fact, a batch of events or an unreadable message', () => {
    const bytes = bytesOf({ site_id: SITE });
    expect(changedBy(OPERATIONS.createApiKey.address, bytes)).toBeUndefined();
    expect(changedBy('audit.recorded.v1', bytes)).toBeUndefined();
    expect(changedBy('ingestion.track-event', bytes)).toBeUndefined();
    for (const unreadable of [null, Buffer.from('{'), Buffer.from('{}'), Buffer.from([0xff])]) {
      expect(changedBy(OPERATIONS.updateSite.address, unreadable)).toBeUndefined();
    }
  });

  it('the changed resource is known for every command of the product that does not only add', () => {
    const commands = Object.values(OPERATIONS).flatMap(({ address, kind }) => {
      const { topic, operation } = readAddress(address);
      return kind === 'command' && operation !== undefined ? [{ topic, operation }] : [];
    });
    const bytes = bytesOf({ workspace_id: WORKSPACE, id: OTHER });
    const adding = commands
      .filter((command) => changedBy(formatAddress(command), bytes) === undefined)
      .map(({ operation }) => operation);
    expect(adding.toSorted()).toEqual([
      'begin-ledger-verification',
      'begin-profiles-import',
      'begin-settlements-import',
      'begin-worker-job',
      'begin-workflow-replay',
      'create-api-key',
      'create-campaign',
      'create-commission-rule',
      'create-experiment',
      'create-integration',
      'create-member',
      'create-product',
      'create-site',
      'create-submission',
      'create-workflow',
      'create-workspace',
      'record-key-use',
    ]);
  });
});
