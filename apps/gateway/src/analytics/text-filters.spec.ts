import { describe, expect, it } from '@jest/globals';
import { JOB_FILTERS } from '@truetally/contracts/jobs';
import { PROFILE_FILTERS } from '@truetally/contracts/management';
import { textFilter } from '../http/page-query.js';
import { EVENTS_QUERY } from './event-lister.js';
import { TRAIL_QUERY } from './trail-reader.js';

describe('filters by text', () => {
  it.each([
    ['type of jobs', JOB_FILTERS.type],
    ['email of profiles', PROFILE_FILTERS.email],
    ['session_id of events', EVENTS_QUERY.session_id],
    ['client_event_id of a trail', TRAIL_QUERY.client_event_id],
    ['request_id of a trail', TRAIL_QUERY.request_id],
    ['name or id of any list', textFilter],
  ])('%s: U+0000 is refused, because Postgres cannot compare it', (_, rule) => {
    expect(rule('a\0b')).toEqual(expect.any(String));
    expect(rule('ab')).toBeUndefined();
  });
});
