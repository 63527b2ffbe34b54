import { OPERATIONS, SERVICES } from './catalogue.js';
import type { ServiceEntry } from './service-entry.js';

/** A topic that one operation had alone, until operations shared topics (docs/operations/kubernetes.md). */
export interface FormerTopic {
  readonly name: string;
  /** The operation that it stands for. */
  readonly address: string;
  /** The consumer group that has read it. */
  readonly group: string;
}

/** What services read, of their own, as long as an installation has it. Nothing creates these topics. */
export function formerTopicsOf(service: ServiceEntry): readonly FormerTopic[] {
  return Object.entries(ADDRESSES)
    .filter(([name]) => name.startsWith(`${service.name}.`))
    .map(([name, address]) => {
      const group = PRODUCTS.includes(address) ? `${service.name}.products` : service.name;
      return { name, address, group };
    });
}

const ADDRESSES = {
  'ingestion.reconcile-events': OPERATIONS.reconcileEvents,
  'management.create-workspace': OPERATIONS.createWorkspace,
  'management.list-workspaces': OPERATIONS.listWorkspaces,
  'management.read-workspace': OPERATIONS.readWorkspace,
  'management.update-workspace': OPERATIONS.updateWorkspace,
  'management.administer-workspace': OPERATIONS.administerWorkspace,
  'management.create-member': OPERATIONS.createMember,
  'management.list-members': OPERATIONS.listMembers,
  'management.read-member': OPERATIONS.readMember,
  'management.update-member': OPERATIONS.updateMember,
  'management.accept-membership': OPERATIONS.acceptMembership,
  'management.decline-membership': OPERATIONS.declineMembership,
  'management.delete-member': OPERATIONS.deleteMember,
  'management.list-audit-log': OPERATIONS.listAuditLog,
  'management.create-site': OPERATIONS.createSite,
  'management.list-sites': OPERATIONS.listSites,
  'management.read-site': OPERATIONS.readSite,
  'management.update-site': OPERATIONS.updateSite,
  'management.delete-site': OPERATIONS.deleteSite,
  'management.delete-workspace': OPERATIONS.deleteWorkspace,
  'management.create-api-key': OPERATIONS.createApiKey,
  'management.list-api-keys': OPERATIONS.listApiKeys,
  'management.read-api-key': OPERATIONS.readApiKey,
  'management.update-api-key': OPERATIONS.updateApiKey,
  'management.rotate-api-key': OPERATIONS.rotateApiKey,
  'management.revoke-api-key': OPERATIONS.revokeApiKey,
  'management.record-key-use': OPERATIONS.recordKeyUse,
  'management.create-campaign': OPERATIONS.createCampaign,
  'management.list-campaigns': OPERATIONS.listCampaigns,
  'management.read-campaign': OPERATIONS.readCampaign,
  'management.update-campaign': OPERATIONS.updateCampaign,
  'management.delete-campaign': OPERATIONS.deleteCampaign,
  'management.list-media': OPERATIONS.listMedia,
  'management.read-media': OPERATIONS.readMedia,
  'management.delete-media': OPERATIONS.deleteMedia,
  'management.create-product': OPERATIONS.createProduct,
  'management.list-products': OPERATIONS.listProducts,
  'management.read-product': OPERATIONS.readProduct,
  'management.update-product': OPERATIONS.updateProduct,
  'management.delete-product': OPERATIONS.deleteProduct,
  'management.put-products': OPERATIONS.putProducts,
  'management.create-integration': OPERATIONS.createIntegration,
  'management.list-integrations': OPERATIONS.listIntegrations,
  'management.read-integration': OPERATIONS.readIntegration,
  'management.update-integration': OPERATIONS.updateIntegration,
  'management.delete-integration': OPERATIONS.deleteIntegration,
  'management.read-job': OPERATIONS.readJob,
  'management.begin-settlements-import': OPERATIONS.beginSettlementsImport,
  'management.begin-worker-job': OPERATIONS.beginWorkerJob,
  'management.cancel-job': OPERATIONS.cancelJob,
  'management.list-dead-letters': OPERATIONS.listDeadLetters,
  'management.replay-dead-letter': OPERATIONS.replayDeadLetter,
  'management.discard-dead-letter': OPERATIONS.discardDeadLetter,
  'attribution-ledger.list-touches': OPERATIONS.listTouches,
  'attribution-ledger.create-commission-rule': OPERATIONS.createCommissionRule,
  'attribution-ledger.list-commission-rules': OPERATIONS.listCommissionRules,
  'experiments.create-experiment': OPERATIONS.createExperiment,
  'experiments.list-experiments': OPERATIONS.listExperiments,
  'experiments.read-experiment': OPERATIONS.readExperiment,
  'experiments.update-experiment': OPERATIONS.updateExperiment,
  'experiments.delete-experiment': OPERATIONS.deleteExperiment,
  'experiments.start-experiment': OPERATIONS.startExperiment,
  'experiments.pause-experiment': OPERATIONS.pauseExperiment,
  'experiments.resume-experiment': OPERATIONS.resumeExperiment,
  'experiments.stop-experiment': OPERATIONS.stopExperiment,
  'experiments.report-results': OPERATIONS.reportResults,
  'experiments.report-series': OPERATIONS.reportSeries,
  'experiments.plan-sample': OPERATIONS.planSample,
  'publisher-analytics.list-settlements': OPERATIONS.listSettlements,
  'publisher-analytics.read-report': OPERATIONS.readPublisherReport,
  'publisher-analytics.find-click': OPERATIONS.findClick,
  'management.list-set-aside-facts': 'management.queries/list-set-aside-facts',
  'management.handle-set-aside-fact': 'management.commands/handle-set-aside-fact',
  'attribution-ledger.list-set-aside-facts': 'attribution-ledger.queries/list-set-aside-facts',
  'attribution-ledger.handle-set-aside-fact': 'attribution-ledger.commands/handle-set-aside-fact',
  'experiments.list-set-aside-facts': 'experiments.queries/list-set-aside-facts',
  'experiments.handle-set-aside-fact': 'experiments.commands/handle-set-aside-fact',
  'publisher-analytics.list-set-aside-facts': 'publisher-analytics.queries/list-set-aside-facts',
  'publisher-analytics.handle-set-aside-fact': 'publisher-analytics.commands/handle-set-aside-fact',
} as const;

/** They were read by a group of their own. */
const PRODUCTS: readonly string[] = [
  OPERATIONS.createProduct,
  OPERATIONS.listProducts,
  OPERATIONS.readProduct,
  OPERATIONS.updateProduct,
  OPERATIONS.deleteProduct,
  OPERATIONS.putProducts,
];

/** Those of all services. */
export const FORMER_TOPICS: readonly FormerTopic[] = SERVICES.flatMap(formerTopicsOf);

/** Where a request that was sent there is sent now: the operation that a former topic stands for, or the same address. */
export function presentAddressOf(address: string): string {
  return FORMER_TOPICS.find(({ name }) => name === address)?.address ?? address;
}
