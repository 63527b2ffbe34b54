import {
  Exactly,
  Identifier,
  Matching,
  NestedList,
  OneOf,
  Optional,
  Text,
  Timestamp,
} from '../validation/decorators.js';
import { PROVIDER, PROVIDER_FORM } from '../validation/forms.js';
import { MAX_TOUCHES_PER_REQUEST, TOUCH_DIRECTIONS, TOUCH_PROVENANCES } from './touch-command.js';

/** Limits of a touch (interface page, section 5); lengths in Unicode code points. */
export const TOUCH_LIMITS = {
  idCharacters: 128,
  clickCharacters: 1_024,
  landingPathCharacters: 2_048,
  /** How far a client's clock may be ahead. */
  occurredAheadMs: 24 * 60 * 60 * 1_000,
} as const;

const SCHEMA_VERSION = 1;
const ID = { max: TOUCH_LIMITS.idCharacters };

/** One touch as a client sends it. Rules that need other fields or the site are checked elsewhere. */
export class TouchBody {
  @Exactly(SCHEMA_VERSION) schema_version!: number;
  @Identifier(ID) touch_id!: string;
  @Matching(PROVIDER, PROVIDER_FORM) provider!: string;
  @OneOf(TOUCH_DIRECTIONS) direction!: string;
  @Optional() @Identifier({ max: TOUCH_LIMITS.clickCharacters }) provider_click_id?: string | null;
  @Optional() @Identifier(ID) partner_id?: string | null;
  @Optional() @Text({ max: TOUCH_LIMITS.landingPathCharacters }) landing_path?: string | null;
  @Timestamp() occurred_at!: string;
  @OneOf(TOUCH_PROVENANCES) provenance!: string;
  @Optional() @Identifier(ID) session_id?: string | null;
}

/** `POST /partner-attribution/touches`. */
export class TouchesBody {
  @NestedList(() => TouchBody, { min: 1, max: MAX_TOUCHES_PER_REQUEST }) touches!: TouchBody[];
}
