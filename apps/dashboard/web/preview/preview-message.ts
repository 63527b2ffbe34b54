import type { CampaignType } from '../domain/campaign-form.js';

/** What the editor sends to the preview's frame: the content exactly as it is saved. */
export interface PreviewMessage {
  readonly type: CampaignType;
  readonly name: string;
  readonly content: Readonly<Record<string, unknown>>;
  /** Of a recommendation. */
  readonly items: readonly {
    readonly product_id: string;
    readonly title: string;
    readonly url: string | null;
    readonly image_url: null;
    readonly price: string | null;
    readonly currency: string | null;
  }[];
}
