import {
  FiniteNumber,
  LinkUrl,
  Identifier,
  ListOf,
  Matching,
  Name,
  Nested,
  NestedList,
  OneOf,
  Optional,
  Text,
  WholeNumber,
} from '../validation/decorators.js';
import { EMAIL, EMAIL_FORM } from '../validation/forms.js';
import { namingText } from '../validation/rules.js';

const LAYOUTS = ['modal', 'banner', 'corner'] as const;
export const TRIGGER_TYPES = ['load', 'exit', 'scroll', 'delay'] as const;
/** By what products are recommended. */
export const RECOMMENDATION_STRATEGIES = ['co_purchase', 'co_view', 'popular'] as const;
export type RecommendationStrategy = (typeof RECOMMENDATION_STRATEGIES)[number];

/** The limit of ids in events (interface page, section 4): visitors' actions are counted by them. */
const ID = { max: 128 };
const TITLE = { max: 200 };
const BODY = { max: 5_000 };
const LABEL = { max: 100 };
const URL_LENGTH = { max: 2_048 };
const QUIZ_TEXT = { max: 500 };
const QUESTIONS = { min: 1, max: 50 };
const ANSWERS = { min: 1, max: 20 };
const RESULTS = { min: 1, max: 50 };
/** A year: browsers do not keep frequency counters longer. */
const FREQUENCY_CAP_HOURS = { min: 0, max: 8_760 };
const PLACEMENT = { max: 128 };
/** Products of a recommendation. */
export const RECOMMENDATION_COUNT = { min: 1, max: 50 };
const CHAT_TEXT = { max: 2_000 };
const CHAT_ANSWERS = { min: 0, max: 200 };
const KEYWORDS = { min: 1, max: 20 };
const KEYWORD = { max: 100 };

export class OverlayCallToAction {
  @Name(LABEL) label!: string;
  @LinkUrl(URL_LENGTH) url!: string;
}

export class OverlayTrigger {
  @OneOf(TRIGGER_TYPES) type!: (typeof TRIGGER_TYPES)[number];
  /** Its meaning, and whether it is required, depends on the type: see `checkTrigger`. */
  @Optional() @FiniteNumber() value?: number | null;
}

export class QuizAnswer {
  @Identifier(ID) answer_id!: string;
  @Name(QUIZ_TEXT) text!: string;
}

export class QuizQuestion {
  @Identifier(ID) question_id!: string;
  @Name(QUIZ_TEXT) text!: string;
  @NestedList(() => QuizAnswer, { ...ANSWERS, distinctBy: 'answer_id' }) answers!: readonly QuizAnswer[];
}

export class QuizResult {
  @Identifier(ID) result_id!: string;
  @Name(QUIZ_TEXT) text!: string;
}

/** The merchant's ids are kept unchanged, so that events of an older version still count. */
export class OverlayQuiz {
  @Identifier(ID) quiz_id!: string;
  @NestedList(() => QuizQuestion, { ...QUESTIONS, distinctBy: 'question_id' })
  questions!: readonly QuizQuestion[];
  @NestedList(() => QuizResult, { ...RESULTS, distinctBy: 'result_id' }) results!: readonly QuizResult[];
}

/** `content` of an overlay. */
export class OverlayContent {
  @OneOf(LAYOUTS) layout!: (typeof LAYOUTS)[number];
  @Name(TITLE) title!: string;
  @Optional() @Text(BODY) body?: string | null;
  @Optional() @Nested(() => OverlayCallToAction) cta?: OverlayCallToAction | null;
  @Optional() @Nested(() => OverlayTrigger) trigger?: OverlayTrigger | null;
  @Optional() @WholeNumber(FREQUENCY_CAP_HOURS) frequency_cap_hours?: number | null;
  @Optional() @Nested(() => OverlayQuiz) quiz?: OverlayQuiz | null;
}

/** `content` of a recommendation. */
export class RecommendationContent {
  @OneOf(RECOMMENDATION_STRATEGIES) strategy!: RecommendationStrategy;
  @Name(PLACEMENT) placement!: string;
  @WholeNumber(RECOMMENDATION_COUNT) count!: number;
}

export class ChatbotAnswer {
  @ListOf(namingText(KEYWORD), KEYWORDS) keywords!: readonly string[];
  @Name(CHAT_TEXT) text!: string;
}

export class ChatbotHandover {
  @Matching(EMAIL, EMAIL_FORM) email!: string;
}

/** `content` of a chatbot. */
export class ChatbotContent {
  @Name(CHAT_TEXT) greeting!: string;
  @NestedList(() => ChatbotAnswer, CHAT_ANSWERS) answers!: readonly ChatbotAnswer[];
  @Optional() @Nested(() => ChatbotHandover) handover?: ChatbotHandover | null;
}

/** `content` of a campaign, by its type. */
export type CampaignContent = OverlayContent | RecommendationContent | ChatbotContent;
