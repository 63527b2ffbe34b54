import { Always, Matching, Name, NestedList, OneOf, OrAbsent, OrNull } from '../validation/decorators.js';
import { UUID, UUID_FORM } from '../validation/forms.js';
import {
  RECOMMENDATION_COUNT,
  RECOMMENDATION_STRATEGIES,
  type RecommendationStrategy,
} from './campaign-content.js';
import { OfferedProduct } from './offered-products.js';

const PLACEMENT = { max: 128 };

/** A product with the reason for its place: `popular` where the campaign's strategy knew no more. */
export class RecommendedProduct extends OfferedProduct {
  @OneOf(RECOMMENDATION_STRATEGIES) readonly source!: RecommendationStrategy;
}

/** `data` of `GET /recommendations` (interface page, section 9). */
export class Recommendations {
  @Matching(UUID, UUID_FORM) readonly campaign_id!: string;
  /** What events about this answer name; the same for the same items. Null without items. */
  @OrNull() @Matching(UUID, UUID_FORM) readonly recommendation_id!: string | null;
  /** Null without items. */
  @OrNull() @Name(PLACEMENT) readonly placement!: string | null;
  @NestedList(() => RecommendedProduct, { min: 0, max: RECOMMENDATION_COUNT.max })
  readonly items!: readonly RecommendedProduct[];
  /** The campaign's part in a running experiment. */
  @OrAbsent() @Always(true) readonly in_experiment?: true;
}
