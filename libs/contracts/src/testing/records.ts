import {
  type AssignedSessionFact,
  type CampaignRecord,
  type ChangedSettlementFact,
  type CredentialRecord,
  type ExperimentRecord,
  type MemberRecord,
  type RecordedAuditFact,
  type RecordedConversionFact,
  type RecordedTouchFact,
  type SealedLedgerFact,
  type SiteRecord,
  type StoredEventFact,
  type WorkflowRecord,
} from '../facts/index.js';

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
  partner: { providers: ['awin'], touch_limit: 20, attribution_model: 'last_touch', lookback_days: 30 },
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
  version: 2,
};

export const MEMBER: MemberRecord = {
  workspace_id: 'workspace',
  sub: 'auth0|owner',
  email: null,
  member_id: 'member',
  role: 'owner',
  membership: 'accepted',
  suspended: false,
  hourly_limit: 10_000,
  version: 3,
};

export const CAMPAIGN: CampaignRecord = {
  campaign_id: 'campaign',
  site_id: 'site',
  workspace_id: 'workspace',
  type: 'chatbot',
  name: 'Help',
  status: 'active',
  schedule: { from: '2026-01-31T09:30:00.000Z', to: null },
  targeting: { page_url_contains: ['/cart'], languages: ['de'], device_types: [] },
  content: { greeting: 'Hello', answers: [] },
  version: 2,
  created_at: '2026-01-30T09:30:00.000Z',
};

export const WORKFLOW: WorkflowRecord = {
  workflow_id: 'workflow',
  workspace_id: 'workspace',
  site_id: 'site',
  enabled: true,
  event_types: ['purchase'],
  match: 'all',
  conditions: [{ field: 'properties.total', operator: 'gte', value: 50 }],
  url: 'https://crm.example/hook',
  secret: { key_id: 'k1', sealed: 'AAAA' },
  former_secrets: [{ key_id: 'k1', sealed: 'BBBB', until: '2026-01-31T09:30:00.000Z' }],
  version: 2,
  effective_from: '2026-01-30T09:30:00.000Z',
  updated_at: '2026-01-30T09:30:00.000Z',
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

export const RECORDED_TOUCH: RecordedTouchFact = {
  id: 't',
  site_id: 's',
  touch_id: 'touch',
  provider: 'awin',
  direction: 'inbound',
  partner_id: null,
  landing_path: '/',
  occurred_at: '2026-01-31T09:30:00.123456Z',
  provenance: 'browser_sdk',
  session_id: null,
  recorded_at: '2026-01-31T09:30:01.000Z',
};

export const RECORDED_CONVERSION: RecordedConversionFact = {
  record_id: 'r',
  conversion_id: 'c',
  site_id: 's',
  order_id: 'order',
  order_sequence: 1,
  event_type: 'purchase',
  state: 'recorded',
  currency: 'EUR',
  occurred_at: '2026-01-31T09:30:00.123456Z',
  purchase_occurred_at: '2026-01-31T09:30:00.123456Z',
  recorded_at: '2026-01-31T09:30:01.000Z',
  revenue_delta: '119.00',
  commissionable_delta: '100.00',
  tax_delta: '19.00',
  shipping_delta: '0.00',
  discount_delta: '0.00',
  margin_delta: null,
  commission_delta: '5.00',
  remaining_revenue: '119.00',
  remaining_commissionable: '100.00',
  remaining_margin: null,
  margin_basis: null,
  commission: '5.00',
  touch_ids: ['touch'],
  unmatched_touch_ids: [],
  attribution_model: 'linear',
  lookback_days: null,
  attribution: [{ touch_id: 'touch', outcome: 'attributed', reason: 'shared_equally', share: '5.00' }],
  experiment_assignment_ids: [],
  reason: null,
  sequence: '1',
  hash: 'a'.repeat(64),
};

export const RECORDED_AUDIT: RecordedAuditFact = {
  audit_id: '3b241101-e2bb-4255-8caf-4136c566a962',
  workspace_id: '0d0c1f7e-2d5e-4f7c-9d62-3c1f5b7a9e01',
  at: '2026-01-31T09:30:01.000Z',
  actor: 'auth0|owner',
  action: 'create',
  resource: 'commission_rule',
  resource_id: '9b2f1f0a-5b9e-4a57-8a5c-2a6a2f1b7c11',
};

export const CHANGED_SETTLEMENT: ChangedSettlementFact = {
  settlement_id: '0d0c1f7e-2d5e-4f7c-9d62-3c1f5b7a9e02',
  site_id: '6f1e2c3d-2d5e-4f7c-9d62-3c1f5b7a9e01',
  provider: 'awin',
  provider_transaction_id: '259630312',
  order_reference: 'order-1',
  status: 'approved',
  previous_status: 'pending',
  currency: 'EUR',
  commissionable_amount: '100.00',
  commission_amount: '5.00',
  transaction_at: '2026-03-10T12:00:00.000000Z',
  updated_at: '2026-03-12T12:00:00.000000Z',
  recorded_at: '2026-03-12T13:00:00.000Z',
};

export const SEALED_LEDGER: SealedLedgerFact = {
  site_id: 's',
  sequence: '1',
  hash: 'a'.repeat(64),
  recorded_at: '2026-01-31T09:30:01.000Z',
};

export const EXPERIMENT: ExperimentRecord = {
  experiment_id: 'experiment',
  site_id: 'site',
  workspace_id: 'workspace',
  state: 'running',
  surface: 'overlay',
  campaign_ids: ['campaign'],
  version: 2,
};

export const ASSIGNED_SESSION: AssignedSessionFact = {
  assignment_id: 'assignment',
  experiment_id: 'experiment',
  site_id: 'site',
  session_id: 'session',
  variant: 'treatment',
  campaign_ids: ['campaign'],
  provider: 'awin',
  device: 'mobile',
  assigned_at: '2026-01-31T09:30:00.000Z',
};
