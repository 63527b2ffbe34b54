import { fail, type Reply, type Result, succeed } from '@truetally/kernel';
import { RecordReader } from '../facts/record-reader.js';

/** `experiments.read-withheld`: what a session's arms withhold from it now. */
export interface ReadWithheld {
  readonly site_id: string;
  readonly session_id: string;
}

/** The campaigns that a session must not see. */
export interface Withheld {
  /** Campaigns of running experiments that have the session in their control arm. */
  readonly campaign_ids: readonly string[];
}

/** The reply on `experiments.read-withheld`. */
export type ReadWithheldReply = Reply<Withheld>;

/** Reads the message; never throws. */
export function decodeReadWithheld(message: string): Result<ReadWithheld, string> {
  const reader = RecordReader.of(message);
  if (reader === undefined) return fail('not a JSON object');
  const question = { site_id: reader.text('site_id'), session_id: reader.text('session_id') };
  const faults = reader.faultsWith();
  return faults.length === 0 ? succeed(question) : fail(`unreadable: ${faults.join(', ')}`);
}

/** Reads the content of `ok`; never throws. */
export function readWithheld(ok: unknown): Result<Withheld, string> {
  const reader = RecordReader.from(ok);
  if (reader === undefined) return fail('not an object');
  const withheld = { campaign_ids: reader.texts('campaign_ids') };
  const faults = reader.faultsWith();
  return faults.length === 0 ? succeed(withheld) : fail(`unreadable: ${faults.join(', ')}`);
}
