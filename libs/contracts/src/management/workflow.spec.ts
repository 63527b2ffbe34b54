import { describe, expect, it } from '@jest/globals';
import { readWorkflow, workflowPatchFaults } from './workflow.js';

const BODY = {
  site_id: '0b5e0000-0000-4000-8000-000000000001',
  name: 'Orders',
  trigger: { event_types: ['conversion.purchase'] },
};

function urlOf(url: string): unknown {
  const workflow = readWorkflow({ ...BODY, action: { type: 'webhook', url } });
  return workflow.ok ? workflow.value.action.url : Object.keys(workflow.error);
}

describe('the address of a webhook', () => {
  it.each([
    ['https://bücher.example/größe?q=ß', 'https://xn--bcher-kva.example/gr%C3%B6%C3%9Fe?q=%C3%9F'],
    ['https://例え.テスト', 'https://xn--r8jz45g.xn--zckzah/'],
    ['https://crm.example', 'https://crm.example'],
    ['https://CRM.example/%7Eme', 'https://CRM.example/%7Eme'],
  ])('a webhook at %s is one at %s: letters beyond ASCII become what requests carry', (written, kept) => {
    expect(urlOf(written)).toBe(kept);
  });

  it('an address is refused that becomes too long, or whose port is none', () => {
    expect(urlOf(`https://crm.example/${'ö'.repeat(400)}`)).toEqual(['action.url']);
    expect(urlOf('https://crm.example:99999/ö')).toEqual(['action.url']);
  });
});

describe('the rules that a change of a workflow breaks', () => {
  it('a change is told every rule that it breaks, and none of a field that it leaves out', () => {
    const patch = {
      name: '',
      trigger: { event_types: ['refund'] },
      action: { url: 'ftp://crm.example', secret: 'S3cret' },
      colour: null,
    };
    const faults = workflowPatchFaults(patch);
    expect(Object.keys(faults).toSorted()).toEqual([
      'action.secret',
      'action.url',
      'colour',
      'name',
      'trigger.event_types.0',
    ]);
    expect(JSON.stringify(faults)).not.toContain('S3cret');
    expect(workflowPatchFaults({ enabled: false, action: { secret: null } })).toEqual({});
  });
});
