import { describe, expect, it } from '@jest/globals';
import type { WorkflowRecord } from '@truetally/contracts/facts';
import { WorkflowIndex } from './workflow-index.js';

const workflow = (id: number, site: number, changes: Partial<WorkflowRecord> = {}): WorkflowRecord => ({
  workflow_id: `workflow-${id}`,
  workspace_id: 'workspace',
  site_id: `site-${site}`,
  enabled: true,
  event_types: ['purchase'],
  match: 'all',
  conditions: [],
  url: 'https://crm.example/',
  secret: { key_id: 'k', sealed: '' },
  former_secrets: [],
  version: 1,
  effective_from: '2026-01-31T00:00:00.000Z',
  updated_at: '2026-01-31T00:00:00.000Z',
  ...changes,
});

describe('the index of workflows', () => {
  it('10,000 workflows of 1,000 sites cost a fact those of its own site and type', () => {
    const index = new WorkflowIndex();
    for (let id = 0; id < 10_000; id += 1) index.set(workflow(id, id % 1_000));
    index.set(workflow(10_000, 7, { event_types: ['search'] }));
    expect(index.size).toBe(10_001);
    expect(index.triggeredBy('site-7', 'purchase')).toHaveLength(10);
    expect(index.triggeredBy('site-7', 'page_view')).toEqual([]);
    expect(index.triggeredBy('site-x', 'purchase')).toEqual([]);
  });

  it('a workflow that is disabled, changed or deleted is found no more where it was', () => {
    const index = new WorkflowIndex();
    index.set(workflow(1, 1));
    index.set(workflow(1, 1, { event_types: ['search'] }));
    expect(index.triggeredBy('site-1', 'purchase')).toEqual([]);
    expect(index.triggeredBy('site-1', 'search')).toHaveLength(1);
    index.set(workflow(1, 1, { enabled: false }));
    expect(index.triggeredBy('site-1', 'search')).toEqual([]);
    expect([index.hasHadSite('site-1'), index.hasHadSite('site-2')]).toEqual([true, false]);
    expect(index.get('workflow-1')?.enabled).toBe(false);
    index.delete('workflow-1');
    expect(index.get('workflow-1')).toBeUndefined();
  });
});
