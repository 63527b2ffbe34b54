import { fail, type Result, succeed } from '@truetally/kernel';
import { UUID } from '../validation/forms.js';
import { RecordReader } from './record-reader.js';

/**
 * The value of `sites.erased.v1`, key `site_id`: the site was deleted, and nothing of it is stored any more. Kept
 * for ever, so that a service that is added later knows it before it reads older facts.
 */
export interface ErasedSiteFact {
  readonly site_id: string;
}

/** Writes the value of `sites.erased.v1`. */
export function encodeErasedSite(fact: ErasedSiteFact): string {
  return JSON.stringify(fact);
}

/** Reads a value of `sites.erased.v1`; never throws. The error names the fields. */
export function parseErasedSite(text: string): Result<ErasedSiteFact, string> {
  const reader = RecordReader.of(text);
  if (reader === undefined) return fail('not a JSON object');
  const fact: ErasedSiteFact = { site_id: reader.text('site_id') };
  const faults = [...reader.faultsWith(), ...(UUID.test(fact.site_id) ? [] : ['site_id'])];
  return faults.length === 0 ? succeed(fact) : fail(`unreadable: ${[...new Set(faults)].join(', ')}`);
}
