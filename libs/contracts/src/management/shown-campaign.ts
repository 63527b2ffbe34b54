import { Always, Matching, Name, Nested, NestedList, OrAbsent } from '../validation/decorators.js';
import { UUID, UUID_FORM } from '../validation/forms.js';
import { ChatbotContent, OverlayContent } from './campaign-content.js';
import { DEFAULT_QUOTAS } from './quotas.js';

const NAME = { max: 120 };
const SHOWN = { min: 0, max: DEFAULT_QUOTAS.campaigns };

/** A campaign as a page receives it (interface page, section 9). */
class ShownCampaign {
  @Matching(UUID, UUID_FORM) readonly campaign_id!: string;
  @Name(NAME) readonly name!: string;
  /** Its part in a running experiment. */
  @OrAbsent() @Always(true) readonly in_experiment?: true;
}

/** An overlay as a page receives it. */
export class ShownOverlay extends ShownCampaign {
  @Nested(() => OverlayContent) readonly content!: OverlayContent;
}

/** A chatbot as a page receives it. */
export class ShownChatbot extends ShownCampaign {
  @Nested(() => ChatbotContent) readonly content!: ChatbotContent;
}

/** `data` of `GET /public/overlays`. */
export class ShownOverlays {
  @NestedList(() => ShownOverlay, SHOWN) readonly items!: readonly ShownOverlay[];
}

/** `data` of `GET /public/chatbots`. */
export class ShownChatbots {
  @NestedList(() => ShownChatbot, SHOWN) readonly items!: readonly ShownChatbot[];
}
