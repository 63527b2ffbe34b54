import { describe, expect, it } from '@jest/globals';
import { readCommissionRule } from '@truetally/contracts/attribution';
import {
  readCampaign,
  readIntegration,
  readMember,
  readSite,
  readWorkflow,
} from '@truetally/contracts/management';
import { plainWords } from './plain-words.js';

interface Refusal {
  readonly ok: boolean;
  readonly error?: Readonly<Record<string, readonly string[]>>;
}

/** What a form sends that is left empty, or filled in by somebody who guesses. */
const SITE = {
  name: '',
  domain: 'https://shop.example/',
  allowed_origins: ['shop.example'],
  currency: 'eur',
};
const RULE = { type: 'percentage', provider: 'Awin', rate: '10%', effective_from: '' };
const OVERLAY = {
  layout: 'modal',
  title: ' ',
  cta: { label: '', url: 'shop.example' },
  trigger: { type: 'delay' },
  frequency_cap_hours: 'x',
};
const FORMS: readonly Refusal[] = [
  readSite({ ...SITE, timezone: 'Berlin', partner: { providers: ['Awin!'], lookback_days: 0 } }),
  readSite({ ...SITE, name: 'x'.repeat(121), allowed_origins: [], runtime_hourly_limit: 'x' }),
  readCommissionRule({ ...RULE, website_id: 'site' }),
  readCommissionRule({
    ...RULE,
    type: 'fixed',
    rate: undefined,
    amount: '',
    currency: 'eu',
    website_id: 'site',
  }),
  readCampaign({ type: 'overlay', name: '', schedule: { from: 'x' }, content: OVERLAY }),
  readCampaign({
    type: 'chatbot',
    name: 'x',
    content: { greeting: '', answers: [{ keywords: [], text: '' }] },
  }),
  readMember({ email: 'jürgen@shop', role: 'analyst' }),
  readIntegration({ provider: 'awin', credentials: {}, base_url: 'ftp://user@x/?a#b' }),
  readWorkflow({ name: '', trigger: { event_types: [] }, action: { type: 'webhook', url: '' } }),
];

/** Of who writes programs. */
const JARGON = /string|array|JSON|ISO|IANA|ASCII|URL|slug|absent|scheme|offset|; got/;

describe('a refusal at a field', () => {
  it.each([
    [SITE, 'name', 'must be a text of at most 120 characters; it is empty'],
    [
      SITE,
      'domain',
      'must be a name such as shop.example, without https://, port or path; this one has a path',
    ],
    [SITE, 'allowed_origins.0', 'must be an address such as https://shop.example, without a path or *'],
    [SITE, 'currency', 'must be the three capital letters of a currency, such as EUR'],
  ])('a refusal of %j at %s is said to whom types into it', (body, field, said) => {
    const refused = readSite(body) as Refusal;
    expect(refused.error?.[field]?.map(plainWords)).toEqual([said]);
  });

  it('a number of decimals that is refused is said of the amount, and is not called the amount', () => {
    const rule = { ...RULE, type: 'fixed', rate: undefined, amount: '1.234', currency: 'EUR' };
    const refused = readCommissionRule({ ...rule, website_id: 'site' }) as Refusal;
    expect(refused.error?.['amount']?.map(plainWords)).toEqual([
      'must have at most 2 decimals in EUR; it has 3',
    ]);
  });

  it('a refusal of any form is said without words of programs', () => {
    const said = FORMS.flatMap(({ error = {} }) =>
      // Ids are none of a form's fields.
      Object.entries(error).flatMap(([path, all]) => (path.endsWith('_id') ? [] : all)),
    );
    expect(said.length).toBeGreaterThan(25);
    expect(said.map(plainWords).filter((words) => JARGON.test(words))).toEqual([]);
  });

  it('a refusal that names nothing of programs stays as it is', () => {
    const said = 'must have at most 2 decimals in EUR';
    expect(plainWords(said)).toBe(said);
  });
});
