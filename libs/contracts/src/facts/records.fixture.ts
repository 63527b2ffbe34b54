import { type CredentialRecord, type MemberRecord, type SiteRecord, type StoredEventFact } from '../index.js';

export const SITE: SiteRecord = {
  site_id: 'site',
  workspace_id: 'workspace',
  name: 'Shop',
  domain: 'shop.example',
  allowed_origins: ['https://shop.example'],
  suspended: false,
  currency: 'EUR',
  timezone: 'Europe/Berlin',
  publisher_mode: 'active',
  partner: { providers: ['awin'], touch_limit: 20 },
  runtime_hourly_limit: 100_000,
  version: 3,
};
export const CREDENTIAL: CredentialRecord = {
  key_id: 'key',
  site_id: 'site',
  workspace_id: 'workspace',
  prefix: 'abcd1234',
  hash: 'a'.repeat(64),
  scopes: ['events:write', 'of:tomorrow'],
  hourly_limit: 1000,
  limit_id: 'limit',
  expires_at: '2026-01-31T09:30:00.000Z',
  revoked_at: null,
};

export const MEMBER: MemberRecord = {
  workspace_id: 'workspace',
  sub: 'auth0|owner',
  role: 'owner',
  suspended: false,
  hourly_limit: 10_000,
};

export const STORED_EVENT: StoredEventFact = {
  event_id: 'e',
  site_id: 's',
  event_type: 'page_view',
  session_id: 'x"y',
  user_id: null,
  device_id: 'd',
  client_event_id: null,
  occurred_at: '2026-01-31T09:30:00.123456Z',
  received_at: '2026-01-31T09:30:01.000Z',
  trust: 'browser',
  is_bot: false,
  request_id: 'request-1',
};
