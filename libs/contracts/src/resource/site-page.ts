import { NonEmptyText, OrNull, Text, WholeNumber } from '../validation/decorators.js';

const ID = { max: 128 };
const CURSOR = { max: 512 };
/** Of any list; each route has its own bound. */
const ITEMS = { min: 1, max: 2_000 };

/** The message of a query for a page of what belongs to one site. */
export class SitePageQuery {
  @NonEmptyText(ID) readonly site_id!: string;
  @WholeNumber(ITEMS) readonly limit!: number;
  /** `next_cursor` of the previous page. */
  @OrNull() @Text(CURSOR) readonly cursor!: string | null;
}
