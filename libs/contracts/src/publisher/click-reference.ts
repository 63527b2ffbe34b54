import { fail, type Result, succeed } from '@truetally/kernel';
import { RecordReader } from '../facts/record-reader.js';

/** What a click reference is sealed for: nobody can put it beside another click. */
export function referenceSealContext(siteId: string, eventId: string): readonly string[] {
  return ['click-reference', siteId, eventId];
}

/**
 * What clicks and settlements are matched by. The site is part of it, so that two sites' tables do not tell that they
 * saw the same reference; the network is compared beside it.
 */
export function referenceMatchFields(siteId: string, reference: string): readonly string[] {
  return ['click-reference', siteId, reference];
}

/** A click reference on its way to the one table that keeps it. */
export interface SealedReference {
  /** The `partner_link_click` event that brought it. */
  readonly event_id: string;
  readonly key_id: string;
  /** Base64. */
  readonly sealed: string;
  /** The keyed hash, 64 hexadecimal digits. */
  readonly hash: string;
}

/** The message on `publisher-analytics.record-references`: those of one request. */
export interface RecordReferences {
  readonly site_id: string;
  readonly references: readonly SealedReference[];
}

export function encodeRecordReferences(request: RecordReferences): string {
  return JSON.stringify(request);
}

/** Reads the message back; never throws. */
export function decodeRecordReferences(message: string): Result<RecordReferences, string> {
  const reader = RecordReader.of(message);
  if (reader === undefined) return fail('not a JSON object');
  const items = reader.objects('references');
  const request: RecordReferences = {
    site_id: reader.text('site_id'),
    references: items.map((item) => ({
      event_id: item.text('event_id'),
      key_id: item.text('key_id'),
      sealed: item.text('sealed'),
      hash: item.text('hash'),
    })),
  };
  const faults = reader.faultsWith(...items);
  return faults.length === 0 ? succeed(request) : fail(`unreadable: ${[...new Set(faults)].join(', ')}`);
}
