import { UUID } from '../validation/forms.js';
import { recordCodec } from './record-codec.js';

/**
 * The value of `sites.erased.v1`, key `site_id`: the site was deleted, and nothing of it is stored any more. Kept
 * for ever, so that a service that is added later knows it before it reads older facts.
 */
export interface ErasedSiteFact {
  readonly site_id: string;
}

/** Writes and reads the value of `sites.erased.v1`. */
export const ERASED_SITE = recordCodec(
  (reader): ErasedSiteFact => ({ site_id: reader.text('site_id') }),
  ({ site_id }) => (UUID.test(site_id) ? [] : ['site_id']),
);
