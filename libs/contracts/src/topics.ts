/** A Kafka topic as `ensureTopics` creates it; the deployment's prefix is put before the name. */
export interface TopicSpec {
  readonly name: string;
  readonly partitions: number;
  readonly config?: Record<string, string>;
}

const DAY_MS = 86_400_000;

/**
 * A body of 1 MiB, with what the gateway adds to it, is one message, and a dead letter wraps that message once more:
 * Kafka's own limit of 1 MiB per record batch would refuse both.
 */
const MAX_BATCH_BYTES = 8 * 1024 * 1024;

/** Requests are work in progress, kept long enough to look into an incident. */
const REQUESTS = {
  'retention.ms': String(7 * DAY_MS),
  'max.message.bytes': String(MAX_BATCH_BYTES),
};

/** The newest value per key for ever: small segments, cleaned early, so that a gateway starts within a second. */
const COMPACTED = {
  'cleanup.policy': 'compact',
  'min.cleanable.dirty.ratio': '0.05',
  'segment.ms': '600000',
  'segment.bytes': String(16 * 1024 * 1024),
  'delete.retention.ms': String(DAY_MS),
  'max.message.bytes': String(MAX_BATCH_BYTES),
};

/** As long as the longest attribution window: a worker that begins today sees every touch that can still count. */
const TOUCHES = {
  'retention.ms': String(90 * DAY_MS),
  'max.message.bytes': String(MAX_BATCH_BYTES),
};

/** For ever: orders are adjusted at any time, and a seal anchors all that came before it. */
const LEDGER = {
  'retention.ms': '-1',
  'max.message.bytes': String(MAX_BATCH_BYTES),
};

/** On its way to the audit log: time enough to mend a management service that does not read it. */
const AUDIT = {
  'retention.ms': String(30 * DAY_MS),
  'max.message.bytes': String(MAX_BATCH_BYTES),
};

/** Every topic of the product, by the name of what it carries. Facts carry their version in the name. */
export const TOPICS = {
  storeEvents: { name: 'ingestion.store-events', partitions: 6, config: REQUESTS },
  reconcileEvents: { name: 'ingestion.reconcile-events', partitions: 1, config: REQUESTS },
  runIngestionStep: { name: 'ingestion.run-job-step', partitions: 1, config: REQUESTS },
  createWorkspace: { name: 'management.create-workspace', partitions: 1, config: REQUESTS },
  listWorkspaces: { name: 'management.list-workspaces', partitions: 1, config: REQUESTS },
  readWorkspace: { name: 'management.read-workspace', partitions: 1, config: REQUESTS },
  updateWorkspace: { name: 'management.update-workspace', partitions: 1, config: REQUESTS },
  administerWorkspace: { name: 'management.administer-workspace', partitions: 1, config: REQUESTS },
  createMember: { name: 'management.create-member', partitions: 1, config: REQUESTS },
  listMembers: { name: 'management.list-members', partitions: 1, config: REQUESTS },
  readMember: { name: 'management.read-member', partitions: 1, config: REQUESTS },
  updateMember: { name: 'management.update-member', partitions: 1, config: REQUESTS },
  deleteMember: { name: 'management.delete-member', partitions: 1, config: REQUESTS },
  listAuditLog: { name: 'management.list-audit-log', partitions: 1, config: REQUESTS },
  createSite: { name: 'management.create-site', partitions: 1, config: REQUESTS },
  listSites: { name: 'management.list-sites', partitions: 1, config: REQUESTS },
  readSite: { name: 'management.read-site', partitions: 1, config: REQUESTS },
  updateSite: { name: 'management.update-site', partitions: 1, config: REQUESTS },
  deleteSite: { name: 'management.delete-site', partitions: 1, config: REQUESTS },
  deleteWorkspace: { name: 'management.delete-workspace', partitions: 1, config: REQUESTS },
  createApiKey: { name: 'management.create-api-key', partitions: 1, config: REQUESTS },
  listApiKeys: { name: 'management.list-api-keys', partitions: 1, config: REQUESTS },
  readApiKey: { name: 'management.read-api-key', partitions: 1, config: REQUESTS },
  updateApiKey: { name: 'management.update-api-key', partitions: 1, config: REQUESTS },
  rotateApiKey: { name: 'management.rotate-api-key', partitions: 1, config: REQUESTS },
  revokeApiKey: { name: 'management.revoke-api-key', partitions: 1, config: REQUESTS },
  recordKeyUse: { name: 'management.record-key-use', partitions: 1, config: REQUESTS },
  createCampaign: { name: 'management.create-campaign', partitions: 1, config: REQUESTS },
  listCampaigns: { name: 'management.list-campaigns', partitions: 1, config: REQUESTS },
  readCampaign: { name: 'management.read-campaign', partitions: 1, config: REQUESTS },
  updateCampaign: { name: 'management.update-campaign', partitions: 1, config: REQUESTS },
  deleteCampaign: { name: 'management.delete-campaign', partitions: 1, config: REQUESTS },
  // Several at once, each in a service of its own: a picture takes its time.
  createMedia: { name: 'management.create-media', partitions: 3, config: REQUESTS },
  listMedia: { name: 'management.list-media', partitions: 1, config: REQUESTS },
  readMedia: { name: 'management.read-media', partitions: 1, config: REQUESTS },
  deleteMedia: { name: 'management.delete-media', partitions: 1, config: REQUESTS },
  createProduct: { name: 'management.create-product', partitions: 1, config: REQUESTS },
  listProducts: { name: 'management.list-products', partitions: 1, config: REQUESTS },
  readProduct: { name: 'management.read-product', partitions: 1, config: REQUESTS },
  updateProduct: { name: 'management.update-product', partitions: 1, config: REQUESTS },
  deleteProduct: { name: 'management.delete-product', partitions: 1, config: REQUESTS },
  putProducts: { name: 'management.put-products', partitions: 1, config: REQUESTS },
  createIntegration: { name: 'management.create-integration', partitions: 1, config: REQUESTS },
  listIntegrations: { name: 'management.list-integrations', partitions: 1, config: REQUESTS },
  readIntegration: { name: 'management.read-integration', partitions: 1, config: REQUESTS },
  updateIntegration: { name: 'management.update-integration', partitions: 1, config: REQUESTS },
  deleteIntegration: { name: 'management.delete-integration', partitions: 1, config: REQUESTS },
  runJob: { name: 'management.run-job', partitions: 3, config: REQUESTS },
  readJob: { name: 'management.read-job', partitions: 1, config: REQUESTS },
  cancelJob: { name: 'management.cancel-job', partitions: 1, config: REQUESTS },
  recordTouches: { name: 'attribution-ledger.record-touches', partitions: 3, config: REQUESTS },
  recordConversion: { name: 'attribution-ledger.record-conversion', partitions: 6, config: REQUESTS },
  readOrder: { name: 'attribution-ledger.read-order', partitions: 3, config: REQUESTS },
  listTouches: { name: 'attribution-ledger.list-touches', partitions: 1, config: REQUESTS },
  createCommissionRule: {
    name: 'attribution-ledger.create-commission-rule',
    partitions: 1,
    config: REQUESTS,
  },
  listCommissionRules: { name: 'attribution-ledger.list-commission-rules', partitions: 1, config: REQUESTS },
  runLedgerStep: { name: 'attribution-ledger.run-job-step', partitions: 1, config: REQUESTS },
  sites: { name: 'sites.v1', partitions: 1, config: COMPACTED },
  credentials: { name: 'credentials.v1', partitions: 1, config: COMPACTED },
  members: { name: 'members.v1', partitions: 1, config: COMPACTED },
  campaigns: { name: 'campaigns.v1', partitions: 1, config: COMPACTED },
  eventsStored: {
    name: 'events.stored.v1',
    partitions: 6,
    config: { 'retention.ms': String(7 * DAY_MS), 'max.message.bytes': String(MAX_BATCH_BYTES) },
  },
  touchesRecorded: { name: 'touches.recorded.v1', partitions: 3, config: TOUCHES },
  conversionsRecorded: { name: 'conversions.recorded.v1', partitions: 6, config: LEDGER },
  ledgerSealed: { name: 'ledger.sealed.v1', partitions: 1, config: LEDGER },
  auditRecorded: { name: 'audit.recorded.v1', partitions: 1, config: AUDIT },
  deadLetters: {
    name: 'dead-letters.v1',
    partitions: 1,
    config: { 'retention.ms': String(30 * DAY_MS), 'max.message.bytes': String(MAX_BATCH_BYTES) },
  },
} as const satisfies Record<string, TopicSpec>;

/** Everything that the management service is asked. */
export const MANAGEMENT_TOPICS: readonly TopicSpec[] = Object.values(TOPICS).filter(({ name }) =>
  name.startsWith('management.'),
);
