import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isFinished, type Job, presentJob, retryDelayMs } from './job.js';

const JOB: Job = {
  jobId: '0d0c1f7e-2d5e-4f7c-9d62-3c1f5b7a9e01',
  workspaceId: '6f1e2c3d-2d5e-4f7c-9d62-3c1f5b7a9e01',
  type: 'site.delete',
  state: 'running',
  total: 10,
  done: 4,
  stored: 0,
  failed: 0,
  errors: [],
  siteId: '1f1e2c3d-2d5e-4f7c-9d62-3c1f5b7a9e01',
  startedBy: { sub: 'auth0|owner', key_id: null },
  startedByName: 'auth0|owner',
  createdAtMs: Date.UTC(2026, 0, 31, 9, 30),
  finishedAtMs: null,
};

describe('a job (interface page, section 9)', () => {
  it('a job is answered with exactly these fields: not its workspace', () => {
    expect(presentJob(JOB, true)).toEqual({
      job_id: JOB.jobId,
      type: 'site.delete',
      state: 'running',
      total: 10,
      done: 4,
      stored: 0,
      failed: 0,
      errors: [],
      created_at: '2026-01-31T09:30:00.000Z',
      finished_at: null,
      site_id: JOB.siteId,
      started_by: 'auth0|owner',
      cancellable: true,
    });
    const finished = presentJob({ ...JOB, state: 'completed', finishedAtMs: JOB.createdAtMs + 1 }, true);
    expect(finished.cancellable).toBe(false);
    expect(finished.finished_at).toBe('2026-01-31T09:30:00.001Z');
  });

  it('a job is finished when it is completed, failed or cancelled', () => {
    const states = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;
    expect(states.filter((state) => isFinished({ state }))).toEqual(['completed', 'failed', 'cancelled']);
  });

  it('waits twice as long after each attempt that came to nothing, from a second to a minute', () => {
    expect([0, 1, 2, 3, 6].map(retryDelayMs)).toEqual([1_000, 2_000, 4_000, 8_000, 60_000]);
    fc.assert(
      fc.property(fc.nat(), (attempts) => {
        expect(retryDelayMs(attempts + 1)).toBeGreaterThanOrEqual(retryDelayMs(attempts));
        expect(retryDelayMs(attempts)).toBeLessThanOrEqual(60_000);
      }),
    );
  });
});
