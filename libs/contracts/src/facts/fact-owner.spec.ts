import { expect, it } from '@jest/globals';
import { memberKey, ownerOfFact } from './index.js';

const SITE = '6f1e2c3d-2d5e-4f7c-9d62-3c1f5b7a9e01';
const WORKSPACE = '0d0c1f7e-2d5e-4f7c-9d62-3c1f5b7a9e01';

it('a fact belongs to the site and the workspace that it names, and a row of several to their site', () => {
  const value = { site_id: SITE, workspace_id: WORKSPACE, session_id: 'session' };
  const owner = { siteId: SITE, workspaceId: WORKSPACE };
  expect(ownerOfFact({ key: 'k', value: JSON.stringify(value) })).toEqual(owner);
  expect(ownerOfFact({ key: SITE, value: JSON.stringify([value, {}]) })).toEqual(owner);
  expect(ownerOfFact({ key: 'k', value: JSON.stringify({ workspace_id: WORKSPACE }) })).toEqual({
    siteId: null,
    workspaceId: WORKSPACE,
  });
});

it('a tombstone belongs to the workspace of the member that its key names', () => {
  const nobody = { siteId: null, workspaceId: null };
  for (const name of [
    { sub: 'user', email: null },
    { sub: null, email: 'user@shop.example' },
  ]) {
    const key = memberKey({ workspace_id: WORKSPACE, ...name });
    expect(ownerOfFact({ key, value: null })).toEqual({ ...nobody, workspaceId: WORKSPACE });
  }
  expect(ownerOfFact({ key: SITE, value: null })).toEqual(nobody);
  for (const value of ['text', 'null', '[]', '1', '{"site_id":"none"}']) {
    expect(ownerOfFact({ key: 'k', value })).toEqual(nobody);
  }
});
