import { readIds } from './id-search.js';
import { instantOfLocal, localOf } from './site-times.js';

export const CAMPAIGN_TYPES = ['overlay', 'recommendation', 'chatbot'] as const;
export const CAMPAIGN_STATUSES = ['draft', 'active', 'paused', 'archived'] as const;
export const DEVICE_TYPES = ['desktop', 'mobile', 'tablet'] as const;
export type CampaignType = (typeof CAMPAIGN_TYPES)[number];
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number];
export type DeviceType = (typeof DEVICE_TYPES)[number];

/** The editor's fields under the paths of the API, each as it is typed. */
export interface CampaignForm {
  name: string;
  status: CampaignStatus;
  /** Times of the site's clocks. */
  schedule: { from: string; to: string };
  targeting: { page_url_contains: string; languages: string; device_types: DeviceType[] };
  content: {
    layout: string;
    title: string;
    body: string;
    cta: { label: string; url: string };
    trigger: { type: string; value: string };
    frequency_cap_hours: string;
    quiz: Quiz;
    strategy: string;
    placement: string;
    count: string;
    greeting: string;
    answers: { keywords: string; text: string }[];
    handover: { email: string };
  };
}

interface Quiz {
  quiz_id: string;
  questions: { question_id: string; text: string; answers: { answer_id: string; text: string }[] }[];
  results: { result_id: string; text: string }[];
}

export interface CampaignFields {
  readonly name: string;
  readonly status: CampaignStatus;
  readonly schedule: { readonly from?: string | null; readonly to?: string | null } | null;
  readonly targeting: {
    readonly page_url_contains?: readonly string[] | null;
    readonly languages?: readonly string[] | null;
    readonly device_types?: readonly DeviceType[] | null;
  } | null;
  readonly content: Readonly<Record<string, unknown>>;
}

const EMPTY: CampaignForm = {
  name: '',
  status: 'draft',
  schedule: { from: '', to: '' },
  targeting: { page_url_contains: '', languages: '', device_types: [] },
  content: {
    layout: 'modal',
    title: '',
    body: '',
    cta: { label: '', url: '' },
    trigger: { type: 'load', value: '' },
    frequency_cap_hours: '',
    quiz: { quiz_id: '', questions: [], results: [] },
    strategy: 'co_purchase',
    placement: 'product-page',
    count: '4',
    greeting: '',
    answers: [],
    handover: { email: '' },
  },
};

/** What the editor shows of a campaign; of none, a new one's. */
export function formOf(campaign: CampaignFields | undefined, zone: string): CampaignForm {
  if (campaign === undefined) return structuredClone(EMPTY);
  const { name, status, schedule, targeting, content } = campaign;
  const local = (at: string | null | undefined): string => (at == null ? '' : localOf(at, zone));
  return {
    name,
    status,
    schedule: { from: local(schedule?.from), to: local(schedule?.to) },
    targeting: {
      page_url_contains: (targeting?.page_url_contains ?? []).join('\n'),
      languages: (targeting?.languages ?? []).join(', '),
      device_types: [...(targeting?.device_types ?? [])],
    },
    content: typed(EMPTY.content, content) as CampaignForm['content'],
  };
}

/** Content as it is typed: numbers become text, lists of words a line each, what is absent stays empty. */
function typed(empty: unknown, value: unknown): unknown {
  if (Array.isArray(empty)) return Array.isArray(value) ? value.map((one) => typed({}, one)) : [];
  if (typeof empty !== 'object' || empty === null) {
    if (Array.isArray(value))
      return value.every((one) => typeof one === 'string')
        ? value.join('\n')
        : value.map((one) => typed({}, one));
    return value === undefined || value === null ? empty : String(value);
  }
  const members = typeof value === 'object' && value !== null ? value : {};
  const blanks = Object.entries(empty);
  const known = blanks.map(([name, blank]) => [name, typed(blank, memberOf(members, name))]);
  const others = Object.entries(members)
    .filter(([name]) => !Object.hasOwn(empty, name))
    .map(([name, one]) => [name, typed('', one)]);
  return Object.fromEntries([...known, ...others]);
}

function memberOf(value: object, name: string): unknown {
  return new Map<string, unknown>(Object.entries(value)).get(name);
}

/**
 * What is saved, and what the preview shows.
 * @param stored what it was: a time that is not changed stays, also where a clock shows less of it than there is
 */
export function fieldsOf(
  type: CampaignType,
  form: CampaignForm,
  zone: string,
  stored?: CampaignFields['schedule'],
): CampaignFields {
  const { name, status, schedule, targeting } = form;
  const instant = (local: string, former: string | null | undefined): string | undefined => {
    if (local === '') return undefined;
    return former != null && localOf(former, zone) === local ? former : instantOfLocal(local, zone);
  };
  return {
    name,
    status,
    schedule: orNull(
      present({ from: instant(schedule.from, stored?.from), to: instant(schedule.to, stored?.to) }),
    ),
    targeting: orNull(
      present({
        page_url_contains: listed(targeting.page_url_contains, LINE_ENDS),
        languages: listed(targeting.languages, /[\s,]+/),
        device_types: targeting.device_types.length === 0 ? undefined : targeting.device_types,
      }),
    ),
    content: contentOf(type, form.content),
  };
}

function contentOf(type: CampaignType, content: CampaignForm['content']): Readonly<Record<string, unknown>> {
  switch (type) {
    case 'overlay':
      return overlayOf(content);
    case 'recommendation': {
      const { strategy, placement, count } = content;
      return { strategy, placement, count: numberOf(count) ?? count };
    }
    case 'chatbot': {
      const { greeting, answers, handover } = content;
      return present({
        greeting,
        answers: answers.map(({ keywords, text }) => ({ keywords: listed(keywords, LINE_ENDS) ?? [], text })),
        handover: handover.email === '' ? undefined : handover,
      });
    }
  }
}

function overlayOf(content: CampaignForm['content']): Readonly<Record<string, unknown>> {
  const { layout, title, body, cta, trigger, frequency_cap_hours: cap, quiz } = content;
  const isQuiz = quiz.quiz_id !== '' || quiz.questions.length > 0 || quiz.results.length > 0;
  return present({
    layout,
    title,
    body: body === '' ? undefined : body,
    cta: cta.label === '' && cta.url === '' ? undefined : cta,
    trigger: present({
      type: trigger.type,
      value: HAS_VALUE.has(trigger.type) ? numberOf(trigger.value) : undefined,
    }),
    frequency_cap_hours: cap === '' ? undefined : (numberOf(cap) ?? cap),
    quiz: isQuiz ? quiz : undefined,
  });
}

/** Triggers that have a number: percent of the page, or seconds. */
export const HAS_VALUE: ReadonlySet<string> = new Set(['scroll', 'delay']);

/** Undefined for what is no number: the service says so at its field. */
function numberOf(text: string): number | undefined {
  const value = Number(text);
  return text.trim() === '' || !Number.isFinite(value) ? undefined : value;
}

/** What may hold a comma is typed one a line. */
const LINE_ENDS = /\n+/;

function listed(text: string, separator: RegExp): string[] | undefined {
  const items = text.split(separator).flatMap((item) => (item.trim() === '' ? [] : [item.trim()]));
  return items.length === 0 ? undefined : items;
}

function present<T extends object>(members: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]: Exclude<T[Name], undefined>;
  };
}

function orNull<T extends object>(members: T): T | null {
  return Object.keys(members).length === 0 ? null : members;
}

/** Paths of all fields that the form has now, as refusals name them. */
export function pathsOf(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) {
    return value.length === 0 && path !== 'targeting.device_types' ? [] : [path];
  }
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([name, one]) => pathsOf(one, path === '' ? name : `${path}.${name}`));
}

export interface CampaignSearch {
  readonly type?: CampaignType;
  readonly status?: CampaignStatus;
  /** A part of it. */
  readonly name?: string;
}

/** What of an address narrows the list of campaigns; a broken part falls away. */
export function readCampaignSearch(search: Record<string, unknown>): CampaignSearch {
  const type = CAMPAIGN_TYPES.find((one) => one === search['type']);
  const status = CAMPAIGN_STATUSES.find((one) => one === search['status']);
  return {
    ...(type !== undefined && { type }),
    ...(status !== undefined && { status }),
    ...readIds(['name'])(search),
  };
}
