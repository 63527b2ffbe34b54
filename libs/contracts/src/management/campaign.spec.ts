import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mergePatch, readJson } from '@truetally/kernel';
import { GoldenFolder } from '../testing/golden-folder.js';
import { readCampaign } from './campaign.js';

type Members = Readonly<Record<string, unknown>>;

const GOLDEN = new GoldenFolder(new URL('./test/', import.meta.url));
/** One campaign of each type with all optional parts. */
const [OVERLAY, SHELF, BOT] = ['overlay', 'recommendation', 'chatbot'].map((base) =>
  parsed(GOLDEN.text({ base })),
) as [FullOverlay, Members, Members];
/** Of the members that are looked at below. */
interface FullOverlay extends Members {
  readonly content: { readonly quiz: object; readonly cta: object };
}

/** The smallest valid campaign. */
const CAMPAIGN = {
  site_id: '7f6e4b0a-52f7-4a86-9f3e-0123456789ab',
  type: 'overlay',
  name: 'Welcome',
  content: { layout: 'modal', title: 'Hello' },
};

function parsed(text: string): unknown {
  const reading = readJson(text);
  if (!reading.ok) throw new Error(reading.error.message);
  return reading.value.value;
}

function campaignOf(body: unknown) {
  const campaign = readCampaign(body);
  if (!campaign.ok) throw new Error(JSON.stringify(campaign.error));
  return campaign.value;
}

function problemsOf(body: unknown) {
  const campaign = readCampaign(body);
  return campaign.ok ? {} : campaign.error;
}

describe('a new campaign (interface, section 9)', () => {
  it('needs a site, a type, a name and content; it is a draft for everybody at any time', () => {
    expect(campaignOf(CAMPAIGN)).toEqual({ ...CAMPAIGN, status: 'draft', schedule: null, targeting: null });
    expect(problemsOf({})).toEqual({
      site_id: ['must be a UUID; got nothing'],
      type: ['must be one of overlay, recommendation, chatbot; got nothing'],
      name: ['must be a non-empty string of at most 120 characters; got nothing'],
      content: ['must be an object; got nothing'],
    });
    expect(problemsOf({ ...CAMPAIGN, content: null })).toEqual({
      content: ['must be an object; got null'],
      'content.layout': ['must be one of modal, banner, corner; got nothing'],
      'content.title': ['must be a non-empty string of at most 200 characters; got nothing'],
    });
  });

  it.each([null, [], 'x', 7])('a new campaign is an object, not %j', (body) => {
    expect(Object.keys(problemsOf(body))).toEqual(['body']);
  });

  it.each([
    ['overlay', OVERLAY],
    ['recommendation', SHELF],
    ['chatbot', BOT],
  ])('a new campaign of type %s is kept as it came', (_type, body) => {
    expect(campaignOf(body)).toEqual(body);
  });

  it('a new campaign has the content of its type and of no other', () => {
    expect(problemsOf({ ...CAMPAIGN, type: 'recommendation' })).toEqual({
      'content.strategy': ['must be one of co_purchase, co_view, popular; got nothing'],
      'content.placement': ['must be a non-empty string of at most 128 characters; got nothing'],
      'content.count': ['must be a whole number from 1 to 50; got nothing'],
      'content.layout': ['is not a known field'],
      'content.title': ['is not a known field'],
    });
    expect(problemsOf({ ...CAMPAIGN, type: 'popup', content: { anything: 1 } })).toEqual({
      type: ['must be one of overlay, recommendation, chatbot; got 5 characters'],
    });
  });

  it('takes null for absent, at any depth, and leaves it out', () => {
    const body = {
      ...CAMPAIGN,
      status: null,
      schedule: { from: null, to: null },
      targeting: { languages: null, device_types: [] },
      content: { ...CAMPAIGN.content, body: null, cta: null, trigger: null, quiz: null },
    };
    expect(campaignOf(body)).toEqual(campaignOf(CAMPAIGN));
  });

  it('names unknown fields at any depth, and no more than a person reads', () => {
    const quiz = { ...OVERLAY.content.quiz, results: [{ result_id: 'r', text: 't', image: 'x' }] };
    const content = { ...CAMPAIGN.content, quiz, cta: { label: 'l', url: 'https://a.example', href: 1 } };
    const body = { ...CAMPAIGN, id: 'x', schedule: { until: 1 }, targeting: { language: ['de'] }, content };
    expect(Object.keys(problemsOf(body))).toEqual([
      'schedule.until',
      'targeting.language',
      'content.cta.href',
      'content.quiz.results.0.image',
      'id',
    ]);
    const flood = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`f${n}`, 1]));
    expect(Object.keys(problemsOf({ ...CAMPAIGN, content: { ...CAMPAIGN.content, ...flood } }))).toHaveLength(
      20,
    );
  });

  it('drops keys that change an object’s prototype, at any depth', () => {
    const text = JSON.stringify(OVERLAY);
    const body = readJson(
      text.replaceAll('{', '{"__proto__":{"title":"x"},"constructor":1,').replaceAll(',}', '}'),
    );
    expect(body.ok && campaignOf(body.value.value)).toEqual(campaignOf(OVERLAY));
  });

  it('replaces characters that Postgres cannot store in texts, and refuses them in ids', () => {
    expect(
      campaignOf({ ...CAMPAIGN, name: 'a\0', content: { layout: 'modal', title: '\uD800b' } }),
    ).toMatchObject({
      name: 'a\uFFFD',
      content: { title: '\uFFFDb' },
    });
    expect(
      problemsOf({
        ...CAMPAIGN,
        content: { ...CAMPAIGN.content, quiz: { ...OVERLAY.content.quiz, quiz_id: 'a\0' } },
      }),
    ).toEqual({
      'content.quiz.quiz_id': ['must not contain U+0000 or an unpaired surrogate'],
    });
  });
});

/** A body with one path changed: `content.quiz.results`. */
function withChange(base: Members, path: string, value: unknown): Members {
  const [name = '', ...rest] = path.split('.');
  const inner = base[name];
  if (rest.length === 0) return { ...base, [name]: value };
  if (Array.isArray(inner)) {
    const index = Number(rest[0]);
    const items = inner.map((item: Members, n) =>
      n === index ? withChange(item, rest.slice(1).join('.'), value) : item,
    );
    return { ...base, [name]: items };
  }
  return { ...base, [name]: withChange((inner ?? {}) as Members, rest.join('.'), value) };
}

const long = (length: number): string => 'x'.repeat(length);
const many = (length: number, item: (n: number) => unknown): unknown[] =>
  Array.from({ length }, (_, n) => item(n));

describe('every rule of a campaign', () => {
  it.each(GOLDEN.cases('ok'))('takes %s', (_name, golden) => {
    expect(problemsOf(parsed(GOLDEN.text(golden)))).toEqual({});
  });

  it.each(GOLDEN.cases('not-ok'))('refuses %s', (_name, golden) => {
    expect(problemsOf(parsed(GOLDEN.text(golden)))).toEqual(golden.details);
  });

  it.each([
    [
      'targeting.page_url_contains',
      ['/cart', ''],
      '1',
      'must be a non-empty string of at most 500 characters; got an empty string',
    ],
    ['targeting.languages', ['german!'], '0', 'must be a language tag such as de or pt-BR; got 7 characters'],
    ['targeting.languages', ['d'], '0', 'must be a language tag such as de or pt-BR; got 1 character'],
    ['targeting.device_types', ['watch', 7], '0', 'must be one of desktop, mobile, tablet; got 5 characters'],
  ])('%s %j names item %s: %s', (path, value, index, message) => {
    expect(problemsOf(withChange(OVERLAY, path, value))[`${path}.${index}`]).toEqual([message]);
  });

  const percent = 'must be a number from 0 to 100 (percent of the page) for the trigger scroll';
  const seconds = 'must be a number from 0 to 3600 (seconds) for the trigger delay';

  it.each<[Members, string | undefined]>([
    [{ type: 'load' }, undefined],
    [{ type: 'exit', value: null }, undefined],
    [{ type: 'load', value: 0 }, 'must be absent for the trigger load'],
    [{ type: 'exit', value: 5 }, 'must be absent for the trigger exit'],
    [{ type: 'scroll', value: 0 }, undefined],
    [{ type: 'scroll', value: 99.5 }, undefined],
    [{ type: 'scroll', value: 100.5 }, `${percent}; got another number`],
    [{ type: 'scroll', value: -1 }, `${percent}; got another number`],
    [{ type: 'scroll' }, `${percent}; got nothing`],
    [{ type: 'scroll', value: '50' }, 'must be a number; got 2 characters'],
    [{ type: 'delay', value: 3_600 }, undefined],
    [{ type: 'delay', value: 3_601 }, `${seconds}; got another number`],
    [{ type: 'delay', value: null }, `${seconds}; got null`],
  ])('a campaign is validated by the rule of the trigger %j: %s', (trigger, message) => {
    const problems = problemsOf(withChange(CAMPAIGN, 'content.trigger', trigger));
    expect(problems).toEqual(message === undefined ? {} : { 'content.trigger.value': [message] });
  });

  it.each<[string | null, string | null, boolean]>([
    ['2026-01-31T09:30:00Z', '2026-01-31T09:30:00.001Z', true],
    ['2026-01-31T09:30:00Z', '2026-01-31T09:30:00Z', false],
    ['2026-01-31T09:30:00Z', '2026-01-31T10:30:00+01:00', false],
    ['2026-01-31T09:30:00Z', '2026-01-31T09:30:00.0009Z', false],
    ['2026-01-31T09:30:00Z', null, true],
    [null, '2026-01-31T09:30:00Z', true],
  ])('a campaign is validated by the rule of a schedule from %s to %s: %p', (from, to, isAccepted) => {
    const problems = problemsOf({ ...CAMPAIGN, schedule: { from, to } });
    expect(problems).toEqual(isAccepted ? {} : { 'schedule.to': ['must be later than schedule.from'] });
  });

  it('the content of a campaign is at most 64 KiB as JSON', () => {
    const answers = many(33, () => ({ keywords: ['k'], text: long(1_950) }));
    const sized = (bytes: number) => {
      const rest = bytes - JSON.stringify({ greeting: '', answers }).length;
      return { ...BOT, content: { greeting: long(rest), answers } };
    };
    expect(problemsOf(sized(65_536))).toEqual({});
    expect(problemsOf(sized(65_537))).toEqual({ content: ['must be at most 65536 bytes as JSON'] });
  });

  it('together, each once', () => {
    const content = { ...OVERLAY.content, title: '', trigger: { type: 'scroll', value: 101 }, cta: {} };
    expect(Object.keys(problemsOf({ ...CAMPAIGN, name: 1, content, schedule: { to: 'x' } }))).toEqual([
      'name',
      'schedule.to',
      'content.title',
      'content.cta.label',
      'content.cta.url',
      'content.trigger.value',
    ]);
  });
});

describe('a campaign as it is kept', () => {
  it('a campaign as it is kept has each text of a targeting list once, and instants in UTC', () => {
    const targeting = { page_url_contains: ['/a', '/b', '/a'], languages: ['de', 'DE'] };
    const schedule = { to: '2026-01-31T10:30:00.5+01:00' };
    expect(campaignOf({ ...CAMPAIGN, targeting, schedule })).toMatchObject({
      targeting: { page_url_contains: ['/a', '/b'], languages: ['de', 'DE'] },
      schedule: { to: '2026-01-31T09:30:00.500Z' },
    });
  });

  it('a campaign is changed by a merge patch inside its objects too', () => {
    const changed = campaignOf(
      mergePatch(campaignOf(OVERLAY), { content: { quiz: null, cta: { label: 'B' } } }),
    );
    const { quiz, ...rest } = OVERLAY.content;
    expect(quiz).toBeDefined();
    expect(changed.content).toEqual({ ...rest, cta: { ...rest.cta, label: 'B' } });
  });

  it('a campaign is read again as itself; no body whatever throws, and each refusal has a message', () => {
    const piece = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.constantFrom(undefined, null, '', '\0', [], {}, 1e400),
    );
    const paths = [
      'name',
      'status',
      'schedule',
      'schedule.from',
      'schedule.to',
      'targeting',
      'targeting.languages',
    ];
    const inContent = [
      'title',
      'cta',
      'trigger',
      'trigger.value',
      'quiz',
      'quiz.questions',
      'greeting',
      'answers',
      'count',
    ];
    const path = fc.constantFrom('type', 'content', ...paths, ...inContent.map((name) => `content.${name}`));
    const body = fc.oneof(
      { weight: 1, arbitrary: fc.anything() },
      {
        weight: 9,
        arbitrary: fc
          .tuple(
            fc.constantFrom<Members>(OVERLAY, SHELF, BOT),
            fc.array(fc.tuple(path, piece), { maxLength: 3 }),
          )
          .map(([base, changes]) => changes.reduce((all, [at, value]) => withChange(all, at, value), base)),
      },
    );
    fc.assert(
      fc.property(body, (value) => {
        const campaign = readCampaign(value);
        if (campaign.ok) expect(readCampaign(campaign.value)).toEqual(campaign);
        else expect(Object.values(campaign.error).every((messages) => messages.length > 0)).toBe(true);
        expect(campaign.ok || Object.keys(campaign.error).length > 0).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});
