import type { Labels, Truetally } from './types.js';

/** A campaign as `GET /public/overlays` and `/public/chatbots` give it (interface page, section 9). */
export interface Campaign<Content> {
  readonly campaign_id: string;
  readonly name: string;
  readonly content: Content;
  readonly in_experiment?: boolean;
}

export interface Quiz {
  readonly quiz_id: string;
  readonly questions: readonly {
    readonly question_id: string;
    readonly text: string;
    readonly answers: readonly { readonly answer_id: string; readonly text: string }[];
  }[];
  readonly results: readonly { readonly result_id: string; readonly text: string }[];
}

export interface Overlay {
  readonly layout: 'modal' | 'banner' | 'corner';
  readonly title: string;
  readonly body?: string;
  readonly cta?: { readonly label: string; readonly url: string };
  readonly trigger?: { readonly type: 'load' | 'exit' | 'scroll' | 'delay'; readonly value?: number };
  readonly frequency_cap_hours?: number;
  readonly quiz?: Quiz;
}

export interface Chatbot {
  readonly greeting: string;
  readonly answers: readonly { readonly keywords: readonly string[]; readonly text: string }[];
  readonly handover?: { readonly email: string };
}

/** `data` of `GET /recommendations`; without items its id is null, and without an answer nothing is there. */
export interface Recommendations {
  readonly campaign_id?: string;
  readonly recommendation_id?: string | null;
  readonly items?: readonly {
    readonly product_id: string;
    readonly title: string;
    readonly url: string | null;
    readonly image_url: string | null;
    readonly price: string | null;
    readonly currency: string | null;
  }[];
  readonly in_experiment?: boolean;
}

/** What a campaign is shown with: the client of a page, or that of a preview, which only listens. */
export interface Stage {
  readonly track: Truetally['track'];
  readonly labels?: Labels | undefined;
}
