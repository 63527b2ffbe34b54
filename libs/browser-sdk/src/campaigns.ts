import { URL_CHARACTERS, ASSIGNMENT_TIMEOUT_MS, TOUCH_COUNTS_MS, TOUCHED } from './limits.js';
import type { Tools } from './client.js';

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

/** What is read of an answer. */
interface Answer<Content = unknown> {
  readonly data?: {
    readonly items?: readonly Campaign<Content>[];
    readonly assignments?: readonly { readonly campaign_ids: readonly string[]; readonly variant: string }[];
  };
}

interface Chosen {
  readonly overlays: readonly Campaign<Overlay>[];
  readonly chatbots: readonly Campaign<Chatbot>[];
}

/**
 * What this session may be shown. The assignments are asked for first; without them no campaign of an experiment is
 * shown, because control would see it, too.
 */
export async function chooseCampaigns(tools: Tools): Promise<Chosen> {
  const { store, prefix, platform } = tools;
  // Until its touch counts, a session without an arm may still be assigned one.
  const isFromPartner = platform.now() - Number(store.get(prefix + TOUCHED)) < TOUCH_COUNTS_MS;
  let arms = await assignedArms(tools);
  const lists = await Promise.all([list<Overlay>(tools, 'overlays'), list<Chatbot>(tools, 'chatbots')]);
  const measured = lists.flat().filter(({ in_experiment }) => in_experiment);
  const isMissing = (): boolean => measured.some(({ campaign_id }) => !arms?.has(campaign_id));
  if (isFromPartner && isMissing()) {
    await new Promise<void>((resolve) => platform.setTimer(resolve, TOUCH_COUNTS_MS));
    arms = await assignedArms(tools);
  }
  // A session that no touch has just changed is in no experiment when it has no arm.
  const isUnknown = isFromPartner || !arms;
  if (isUnknown && isMissing())
    tools.report({ code: 'NOT_ASSIGNED', message: 'Campaigns of experiments are not shown on this page.' });
  const isShown = ({ campaign_id, in_experiment }: Campaign<unknown>): boolean =>
    (arms?.get(campaign_id) ?? (in_experiment && isUnknown ? 'control' : 'treatment')) === 'treatment';
  const [overlays, chatbots] = lists;
  return { overlays: overlays.filter(isShown), chatbots: chatbots.filter(isShown) };
}

/** The session's arm by campaign; undefined without an answer in time. */
async function assignedArms({
  platform,
  sender,
  visitor,
}: Tools): Promise<ReadonlyMap<string, string> | undefined> {
  const { session_id } = visitor.identity();
  const asked = sender
    .ask('/partner-experiments/assignments', () => platform.toJson({ session_id }))
    .then(({ reply }) => (reply?.body as Answer | undefined)?.data?.assignments);
  const late = new Promise<undefined>((resolve) =>
    platform.setTimer(() => resolve(undefined), ASSIGNMENT_TIMEOUT_MS),
  );
  const assignments = await Promise.race([asked, late]);
  return (
    assignments &&
    new Map(
      assignments.flatMap(({ campaign_ids, variant }) => campaign_ids.map((id) => [id, variant] as const)),
    )
  );
}

async function list<Content>(tools: Tools, kind: string): Promise<readonly Campaign<Content>[]> {
  const { sender, visitor } = tools;
  const query = new URLSearchParams({
    session_id: visitor.identity().session_id,
    page_url: location.href.slice(0, URL_CHARACTERS),
    language: navigator.language,
    device_type: deviceType(navigator.userAgent),
  });
  const { reply } = await sender.ask(`/public/${kind}?${query.toString()}`);
  const items = (reply?.body as Answer<Content> | undefined)?.data?.items;
  if (!items && reply) sender.refused(reply);
  return items ?? [];
}

function deviceType(agent: string): string {
  if (/iPad|Tablet|Android(?!.*Mobile)/.test(agent)) return 'tablet';
  return /Mobi/.test(agent) ? 'mobile' : 'desktop';
}
