import { recordCodec } from '../facts/record-codec.js';

/** Seal context of a click reference: it cannot be moved to another click. */
export function referenceSealContext(siteId: string, eventId: string): readonly string[] {
  return ['click-reference', siteId, eventId];
}

/**
 * Fields of the keyed hash by which clicks and settlements are matched. The site is included, so that the
 * tables of two sites do not reveal a common reference. The network is compared separately. White space at the ends
 * does not count, as in a settlement's values.
 */
export function referenceMatchFields(siteId: string, reference: string): readonly string[] {
  return ['click-reference', siteId, reference.trim()];
}

/** A click reference on its way to the only table that stores it. */
export interface SealedReference {
  /** The `partner_link_click` event that carried it. */
  readonly event_id: string;
  readonly key_id: string;
  /** Base64. */
  readonly sealed: string;
  /** The keyed hash, 64 hexadecimal digits. */
  readonly hash: string;
}

/** The message on `publisher-analytics.record-references`: the references of one request. */
export interface RecordReferences {
  readonly site_id: string;
  readonly references: readonly SealedReference[];
}

/** The message on `publisher-analytics.record-references`. */
export const RECORD_REFERENCES = recordCodec((reader): RecordReferences => ({
  site_id: reader.text('site_id'),
  references: reader.objects('references').map((item) => ({
    event_id: item.text('event_id'),
    key_id: item.text('key_id'),
    sealed: item.text('sealed'),
    hash: item.text('hash'),
  })),
}));
