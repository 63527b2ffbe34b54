/** Times of every resource are ISO 8601 UTC with milliseconds (interface page, section 9). */
export interface Resource {
  readonly id: string;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
}
