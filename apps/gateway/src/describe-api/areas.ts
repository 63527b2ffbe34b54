import type { RouteRules } from '../http/exchange.js';

/** What the operations of an area are about, by the area's name. */
const ABOUT: Readonly<Record<string, string>> = {
  admin: "The platform's operators: health, lag, dead letters, workspaces.",
  analytics: 'Reports over events, orders and partners.',
  'audit-log': 'Who changed what.',
  campaigns: 'Overlays, recommendations and chatbots of a site.',
  document: 'This document, and its page.',
  events: "A shop's events, each stored once.",
  integrations: 'Partner networks and product feeds, and what networks settle.',
  jobs: 'Work in the background.',
  media: 'Pictures of campaigns.',
  'partner-attribution': 'Touches, trusted conversions and commissions.',
  'partner-experiments': 'Whether partners bring orders that would not have come.',
  products: 'The catalogue of a site.',
  profiles: 'People, their import and their erasure.',
  public: 'What the pages of a shop read.',
  recommendations: 'Products that go with one.',
  runtime: 'Tokens of pages.',
  sdk: 'The browser SDK as files.',
  sites: 'Shops and their API keys.',
  submissions: 'What visitors sent by forms.',
  workflows: 'Webhooks of matching events, and their deliveries.',
  workspaces: 'Workspaces and their members.',
};
const DOCUMENT = 'document';
const OF_THE_DOCUMENT: readonly (string | undefined)[] = ['docs', 'openapi.json'];

/** The first word of the path that names something. */
export function areaOf({ path }: Pick<RouteRules, 'path'>): string {
  const [first = '', area = '', name] = path.split('/').filter((part) => part !== '');
  if (first !== 'api') return first;
  if (OF_THE_DOCUMENT.includes(area)) return DOCUMENT;
  return area === 'admin' ? area : (name ?? area).replace(/\.\w+$/, '');
}

export interface Area {
  readonly name: string;
  readonly description?: string;
}

/** Each area once, by name. */
export function describeAreas(routes: readonly RouteRules[]): readonly Area[] {
  return [...new Set(routes.map(areaOf))].toSorted().map((name) => {
    const description = ABOUT[name];
    return { name, ...(description !== undefined && { description }) };
  });
}
