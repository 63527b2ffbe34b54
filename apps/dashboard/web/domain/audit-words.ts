import { idOf } from './event-search.js';

/** What an entry did, in words: `create` of a `site` is "added the site". */
const VERBS: Readonly<Record<string, string>> = {
  accept: 'accepted the invitation as',
  cancel: 'cancelled',
  create: 'added',
  decline: 'declined the invitation as',
  delete: 'deleted',
  disable: 'disabled',
  erase: 'erased',
  exclude: 'changed the exclusions of',
  import: 'imported into',
  pause: 'paused',
  replay: 'sent again',
  resume: 'resumed',
  revoke: 'revoked',
  rotate: 'rotated',
  start: 'started',
  stop: 'stopped',
  test: 'tested',
  update: 'changed',
  verify: 'verified',
};

export function verbOf(action: string): string {
  return VERBS[action] ?? action.replaceAll(/[._]/g, ' ');
}

/** `partner_experiment` as it is called on the screens. */
export function nounOf(resource: string): string {
  return resource === 'api_key' ? 'API key' : resource.replaceAll('_', ' ');
}

/** Screens of resources; one that has none of its own is shown by the list that it stands in, or by none. */
const SCREENS = {
  api_key: '/w/$workspaceId/api-keys',
  campaign: '/w/$workspaceId/campaigns/$campaignId',
  commission_rule: '/w/$workspaceId/commission-rules',
  integration: '/w/$workspaceId/integrations/$integrationId',
  job: '/w/$workspaceId/jobs/$jobId',
  ledger: '/w/$workspaceId/chain',
  media: '/w/$workspaceId/media',
  member: '/w/$workspaceId/members',
  partner_experiment: '/w/$workspaceId/partner-experiments/$experimentId',
  site: '/w/$workspaceId/sites/$siteId',
  workflow: '/w/$workspaceId/workflows/$workflowId',
} as const;

/** The route of what an entry names; undefined where it has none. */
export function screenOf(resource: string) {
  return Object.hasOwn(SCREENS, resource) ? SCREENS[resource as keyof typeof SCREENS] : undefined;
}

export const AUDIT_SEARCH = ['actor', 'resource', 'resource_id'] as const;

export type AuditSearch = { readonly [name in (typeof AUDIT_SEARCH)[number]]?: string };

/** Filters of an address; a broken one falls away. */
export function readAuditSearch(search: Record<string, unknown>): AuditSearch {
  return Object.fromEntries(
    AUDIT_SEARCH.flatMap((name) => {
      const id = idOf(search[name]);
      return id === undefined ? [] : [[name, id] as const];
    }),
  );
}
