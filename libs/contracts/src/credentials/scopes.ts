/** Permissions of an API key (interface page, section 2). */
export const SCOPES = [
  'events:write',
  'profiles:import',
  'commerce:write',
  'partner_attribution:convert',
  'partner_attribution:read',
  'analytics:read',
] as const;

/** One of `SCOPES`. */
export type Scope = (typeof SCOPES)[number];
