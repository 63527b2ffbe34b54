import type { SiteResource } from '@truetally/node';
import type { SITE_FIELDS } from '../domain/site-form.js';

interface Setting {
  readonly path: (typeof SITE_FIELDS)[number];
  readonly label: string;
  /** What the setting does, in words of who runs the shop. */
  readonly meaning: string;
  readonly control: 'text' | 'lines' | 'number' | 'choice';
  /** Of a choice: each value with its words. */
  readonly choices?: Readonly<Record<string, string>>;
  readonly valueOf: (site: SiteResource) => string;
}

const PUBLISHER_MODES = {
  off: 'off',
  active: 'active: clicks on links to partners are counted',
};
const MODELS = {
  linear: 'linear: all touches in equal parts',
  last_touch: 'last touch: the latest alone',
  first_touch: 'first touch: the earliest alone',
};

/** Every setting of a site, in the order in which it is shown. */
export const SITE_SETTINGS: readonly Setting[] = [
  {
    path: 'name',
    label: 'Name',
    meaning: 'How this page calls the shop',
    control: 'text',
    valueOf: ({ name }) => name,
  },
  {
    path: 'domain',
    label: 'Domain',
    meaning: 'The shop’s own host, for example shop.example',
    control: 'text',
    valueOf: ({ domain }) => domain,
  },
  {
    path: 'allowed_origins',
    label: 'Allowed origins',
    meaning: 'Whose pages may send events, one a line: https://shop.example; all others are refused',
    control: 'lines',
    valueOf: ({ allowed_origins: origins }) => origins.join(', '),
  },
  {
    path: 'currency',
    label: 'Currency',
    meaning: 'Its three letters, such as EUR, for amounts that name none, and for the money of experiments',
    control: 'text',
    valueOf: ({ currency }) => currency,
  },
  {
    path: 'timezone',
    label: 'Time zone',
    meaning: 'For example Europe/Berlin: whose days reports count',
    control: 'text',
    valueOf: ({ timezone }) => timezone,
  },
  {
    path: 'partner.attribution_model',
    label: 'Who gets a share of the commission',
    meaning: 'For orders from now on; an order keeps the model under which it was sealed',
    control: 'choice',
    choices: MODELS,
    valueOf: ({ partner }) => MODELS[partner.attribution_model],
  },
  {
    path: 'partner.lookback_days',
    label: 'Days in which a touch counts',
    meaning: 'Before the order, 1 to 365; empty: without end',
    control: 'number',
    valueOf: ({ partner: { lookback_days: days } }) => (days === null ? 'without end' : String(days)),
  },
  {
    path: 'partner.touch_limit',
    label: 'Touches of a request',
    meaning: '1 to 20: how many a page may send at once',
    control: 'number',
    valueOf: ({ partner }) => String(partner.touch_limit),
  },
  {
    path: 'partner.providers',
    label: 'Providers',
    meaning: 'Networks whose visitors are noticed, separated by commas: awin, cj; all others are refused',
    control: 'text',
    valueOf: ({ partner: { providers } }) => (providers.length === 0 ? 'none' : providers.join(', ')),
  },
  {
    path: 'publisher_mode',
    label: 'Publisher mode',
    meaning:
      'Active where the shop itself links to partners and earns by it: it opens the publisher’s report',
    control: 'choice',
    choices: PUBLISHER_MODES,
    valueOf: ({ publisher_mode: mode }) => PUBLISHER_MODES[mode],
  },
  {
    path: 'runtime_hourly_limit',
    label: 'Requests of its pages per hour',
    meaning: 'All visitors together; Health shows what is left of it',
    control: 'number',
    valueOf: ({ runtime_hourly_limit: limit }) => limit.toLocaleString('en'),
  },
];
