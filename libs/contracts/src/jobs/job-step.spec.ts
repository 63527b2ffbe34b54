import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compilePicker, compileReader } from '../validation/index.js';
import { ERASE_SITE, eraseSiteOf, JobStep, JobStepReport } from './index.js';

const readJobStep = compileReader(JobStep);
const readReport = compilePicker(JobStepReport, 'complete');

const JOB_ID = '0d0c1f7e-2d5e-4f7c-9d62-3c1f5b7a9e01';
const SITE_ID = '6f1e2c3d-2d5e-4f7c-9d62-3c1f5b7a9e01';
const STEP = { job_id: JOB_ID, step: ERASE_SITE, params: { site_id: SITE_ID }, cursor: null };
const REPORT: JobStepReport = {
  cursor: 'events/2026-01-31 00:00:00+00/2048',
  found: 3,
  done: 2,
  stored: 1,
  failed: 1,
  errors: [{ row: 2, field: 'price', message: 'must be a number' }],
};

describe('a step of a job', () => {
  it('a step of a job is read as it was sent', () => {
    expect(readJobStep(STEP)).toEqual({ ok: true, value: STEP });
    expect(readJobStep({ ...STEP, cursor: 'here' })).toMatchObject({ value: { cursor: 'here' } });
  });

  it('names every broken rule at once', () => {
    const broken = readJobStep({ job_id: 'job', step: '', params: { site_id: 1 }, cursor: 7 });
    expect(broken.ok ? [] : Object.keys(broken.error)).toEqual(['job_id', 'step', 'params', 'cursor']);
    expect(readJobStep('text')).toMatchObject({ ok: false });
  });

  it('never throws, whatever comes', () => {
    fc.assert(
      fc.property(fc.anything(), (body) => {
        expect([true, false]).toContain(readJobStep(body).ok);
        expect(readReport(body).ok).toBe(false);
      }),
    );
  });
});

describe('erasing a site', () => {
  it('an erasing step has a name for its piece and its site, which is equal when it is repeated', () => {
    const nameOf = (step: JobStep) => {
      const read = eraseSiteOf(step);
      return read.ok ? read.value.name : read.error;
    };
    const names = [
      STEP,
      { ...STEP, cursor: 'counts' },
      { ...STEP, params: { site_id: JOB_ID } },
      { ...STEP, job_id: SITE_ID },
    ].map(nameOf);
    expect(new Set(names).size).toBe(names.length);
    expect(nameOf({ ...STEP })).toBe(names[0]);
  });

  it('an erasing step is refused without a site; an unknown step may be known to a newer replica', () => {
    const siteless = eraseSiteOf({ ...STEP, params: {} });
    expect(siteless).toMatchObject({
      error: { code: 'VALIDATION_ERROR', details: { 'params.site_id': ['must be a UUID'] } },
    });
    expect(eraseSiteOf({ ...STEP, step: 'newer' })).toMatchObject({ error: { code: 'UNAVAILABLE' } });
  });
});

describe('a report', () => {
  it('the report of a step is read as it was sent', () => {
    expect(readReport(JSON.parse(JSON.stringify(REPORT)))).toEqual({ ok: true, value: REPORT });
    const last = { ...REPORT, cursor: null, errors: [{ row: null, field: null, message: 'is broken' }] };
    expect(readReport(last)).toEqual({ ok: true, value: last });
  });

  it('the report of a step is refused by the names of the fields that cannot be read', () => {
    const broken = { ...REPORT, done: '2', errors: [{ row: 'two', field: null, message: 'x' }] };
    expect(readReport(broken)).toEqual({ ok: false, error: 'unreadable: done, errors.0.row' });
  });
});
