interface Product {
  readonly product_id: string;
}

interface Overlay {
  readonly overlay_id: string;
  readonly campaign_id: string;
}

interface Quiz extends Overlay {
  readonly quiz_id: string;
}

interface Recommendation {
  readonly recommendation_id: string;
  readonly campaign_id: string;
}

type Order = { readonly order_id: string } | { readonly transaction_id: string };
type Amount = { readonly total_amount: number } | { readonly total: number } | { readonly revenue: number };

export interface PartnerLinkClick {
  readonly provider: string;
  readonly click_reference: string;
  /** Absolute http(s) URL; its query and fragment are never stored. */
  readonly destination_url: string;
  readonly partner_id?: string;
  readonly campaign_id?: string;
  readonly content_id?: string;
  readonly placement_id?: string;
  readonly creative_id?: string;
}

/**
 * Required properties by event type (interface page, section 4). A spec compares them with the service's
 * catalogue, which the published types do not need.
 */
export interface RequiredProperties {
  page_view: object;
  product_view: Product;
  add_to_cart: Product;
  remove_from_cart: Product;
  purchase: Order & Amount;
  search: { readonly query: string };
  custom: { readonly event_name: string };
  chatbot_message: { readonly message: string };
  recommendation_impression: Recommendation;
  recommendation_click: Recommendation & Product;
  overlay_impression: Overlay;
  overlay_click: Overlay;
  overlay_dismiss: Overlay;
  overlay_submit: Overlay;
  quiz_start: Quiz;
  quiz_answer: Quiz & { readonly question_id: string; readonly answer_id: string };
  quiz_complete: Quiz & { readonly result_id: string };
  partner_link_click: PartnerLinkClick;
}

export type EventType = keyof RequiredProperties;

/** What an event of the type must have, and any further properties that JSON can hold. */
export type EventProperties<Type extends EventType> = RequiredProperties[Type] &
  Readonly<Record<string, unknown>>;
