import { totalmem } from 'node:os';
import { expect, it } from '@jest/globals';
import { Metrics, recordDescribed } from './index.js';

it('records a library measurement under its name and kind', async () => {
  const metrics = new Metrics('test');
  const record = recordDescribed(metrics, {
    sends_total: { kind: 'counter', help: 'Sends.', labels: ['output'] },
    pending: { kind: 'gauge', help: 'Pending.', labels: [] },
    call_duration_seconds: { kind: 'histogram', help: 'Duration.', labels: [] },
    call_weight: { kind: 'histogram', help: 'Weight.', labels: [] },
  });
  record('sends_total', 2, { output: 'facts' });
  record('sends_total', 3, { output: 'facts' });
  record('pending', 7, {});
  record('pending', 4, {});
  record('call_duration_seconds', 0.003, {});
  record('call_weight', 40, {});
  const text = await metrics.text();
  expect(text).toContain('truetally_sends_total{output="facts",service="test"} 5');
  expect(text).toContain('truetally_pending{service="test"} 4');
  expect(text).toContain('truetally_call_duration_seconds_bucket{le="0.005",service="test"} 1');
  expect(text).toContain('truetally_call_weight_bucket{le="50",service="test"} 1');
});

it("a process tells the limit of its memory: its container's, or what the machine has", async () => {
  const text = await new Metrics('test').text();
  const [, told] = /^truetally_memory_limit_bytes\{service="test"\} (\S+)$/m.exec(text) ?? [];
  expect(Number(told)).toBeGreaterThan(0);
  expect(Number(told)).toBeLessThanOrEqual(totalmem());
});
