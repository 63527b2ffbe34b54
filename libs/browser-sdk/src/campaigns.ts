import { MAX_PLACES, ASSIGNMENT_TIMEOUT_MS, TOUCH_COUNTS_MS, TOUCHED } from './limits.js';
import type { Campaign, Chatbot, Overlay, Recommendations } from './campaign-types.js';
import { ASSIGNMENT_IDS, type Tools } from './client.js';
import { RESULTS } from './judge-answer.js';
import { remember } from './known-ids.js';

/** What is read of an answer. */
interface Assigned {
  readonly assignments?: readonly {
    readonly assignment_id: string;
    readonly campaign_ids: readonly string[];
    readonly variant: string;
  }[];
}

/** Marks an element in which the products of a campaign are shown. */
const RECOMMENDATIONS = 'data-svc-recommendations';

interface Items<Content> {
  readonly items?: readonly Campaign<Content>[];
}

/** Recommendations, and the element of the page that asks for them. */
type Placed = Recommendations & { readonly place: HTMLElement };

type Item = Partial<Pick<Campaign<unknown>, 'campaign_id' | 'in_experiment'>>;

type Chosen = readonly [readonly Campaign<Overlay>[], readonly Campaign<Chatbot>[], readonly Placed[]];

/**
 * What this session may be shown. The assignments are asked for first; without them no campaign of an experiment is
 * shown, because control would see it, too.
 */
export async function chooseCampaigns(tools: Tools): Promise<Chosen> {
  const { store, platform } = tools;
  // Until its touch counts, a session without an arm may still be assigned one.
  const isFromPartner = platform.clock() - Number(store.read(TOUCHED)) < TOUCH_COUNTS_MS;
  let arms = await assignedArms(tools);
  const lists = await Promise.all([
    list<Overlay>(tools, 'overlays'),
    list<Chatbot>(tools, 'chatbots'),
    askedRecommendations(tools),
  ]);
  const isMissing = ({ campaign_id, in_experiment }: Item) => in_experiment && !arms?.has(campaign_id ?? '');
  const items: readonly Item[] = lists.flat();
  if (isFromPartner && items.some(isMissing)) {
    await platform.pass(TOUCH_COUNTS_MS);
    arms = await assignedArms(tools);
  }
  // A session that no touch has just changed is in no experiment when it has no arm.
  const isUnknown = isFromPartner || !arms;
  if (isUnknown && items.some(isMissing)) tools.report({ code: 'NOT_ASSIGNED', message: 'Too late.' });
  const isShown = (item: Item): boolean =>
    !(isUnknown && isMissing(item)) && arms?.get(item.campaign_id ?? '') !== 'control';
  const [overlays, chatbots, recommendations] = lists;
  return [overlays.filter(isShown), chatbots.filter(isShown), recommendations.filter(isShown)];
}

/** The session's arm by campaign; undefined without an answer in time. */
async function assignedArms(tools: Tools): Promise<ReadonlyMap<string, string> | undefined> {
  const { platform, sender, visitor } = tools;
  const { session_id } = visitor.identity();
  const asked = sender
    .ask('/partner-experiments/assignments', () => platform.toJson({ session_id }))
    .then(({ reply }) => reply?.data as Assigned | undefined);
  const assignments = (await Promise.race([asked, platform.pass(ASSIGNMENT_TIMEOUT_MS)]))?.assignments;
  if (!assignments) return undefined;
  remember(tools, ASSIGNMENT_IDS, ...assignments.map(({ assignment_id }) => assignment_id));
  return new Map(
    assignments.flatMap(({ campaign_ids, variant }) => campaign_ids.map((id) => [id, variant] as const)),
  );
}

async function list<Content>(tools: Tools, kind: string): Promise<readonly Campaign<Content>[]> {
  return (await ask<Items<Content>>(tools, `public/${kind}`)).items ?? [];
}

function askedRecommendations(tools: Tools): Promise<readonly Placed[]> {
  const places = [...document.querySelectorAll<HTMLElement>(`[${RECOMMENDATIONS}]`)].slice(0, MAX_PLACES);
  const asked = places.map(async (place) => ({
    ...(await ask<Recommendations>(tools, 'recommendations', {
      campaign_id: place.getAttribute(RECOMMENDATIONS) ?? '',
      product_id: place.getAttribute('data-svc-product-id') ?? '',
    })),
    place,
  }));
  return Promise.all(asked);
}

/** `data` of an answer for this visitor and page; empty without one, which is reported. */
async function ask<Data>(
  { platform, sender, visitor }: Tools,
  path: string,
  more?: Readonly<Record<string, string>>,
): Promise<Partial<Data>> {
  const { page_url, language } = platform.pageContext();
  const query = new URLSearchParams({
    session_id: visitor.identity().session_id,
    page_url,
    language,
    device_type: deviceType(navigator.userAgent),
    ...more,
  });
  const { reply, verdict } = await sender.ask(`/${path}?${String(query)}`);
  if (reply && verdict.kind !== RESULTS) sender.refused(reply);
  return (reply?.data ?? {}) as Partial<Data>;
}

function deviceType(agent: string): string {
  if (/iPad|Tablet|Android(?!.*Mobile)/.test(agent)) return 'tablet';
  return /Mobi/.test(agent) ? 'mobile' : 'desktop';
}
