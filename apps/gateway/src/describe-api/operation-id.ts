import type { RouteRules } from '../http/exchange.js';

/** Where controller and method do not make a name that a client would look for. */
const NAMED: Readonly<Record<string, string>> = {
  'AdministerWorkspace.read': 'readAdministeredWorkspace',
  'AdministerWorkspace.update': 'updateAdministeredWorkspace',
  'Analytics.funnel': 'readFunnel',
  'Analytics.listEvents': 'listEvents',
  'Analytics.overview': 'readOverview',
  'Analytics.revenue': 'readRevenue',
  'Analytics.revenueItems': 'listRevenueItems',
  'Analytics.timeseries': 'readTimeseries',
  'ApiKeys.revoke': 'revokeApiKey',
  'ApiPage.readFile': 'readApiPageFile',
  'Deliveries.replayRange': 'replayDeliveries',
  'Deliveries.test': 'testWorkflow',
  'EligibleSessions.count': 'countEligibleSessions',
  'Products.put': 'putProducts',
  'Profiles.export': 'exportProfiles',
  'Profiles.import': 'importProfiles',
  'Profiles.listErasures': 'listErasures',
  'Profiles.readErasure': 'readErasure',
  'Profiles.readImport': 'readProfileImport',
  'Report.findClick': 'findPublisherClick',
  'Report.read': 'readPublisherReport',
  'Report.readCsv': 'downloadPublisherReport',
  'Results.csv': 'downloadExperimentResults',
  'Results.results': 'readExperimentResults',
  'Results.series': 'readExperimentSeries',
  'Settlements.listStates': 'listSettlementStates',
  'Settlements.upload': 'uploadSettlements',
  'Submissions.export': 'exportSubmissions',
};
/** Methods that answer for several resources. */
const PLURAL_METHODS = ['list'];
const CONTROLLER = /Controller$/;
const FIRST_WORD = /^[A-Z][a-z]*/;
const VERBS = new Set([
  'Assign',
  'Create',
  'Find',
  'List',
  'Plan',
  'Read',
  'Record',
  'Search',
  'Stream',
  'Track',
]);

/**
 * The name that generated clients give the operation. `TrackEventController.track` is `trackEvent`: a controller of
 * one operation is named by it. `ProductsController.create` is `createProduct`.
 */
export function operationIdOf({ name = '' }: Pick<RouteRules, 'name'>): string {
  const [controller = '', method = ''] = name.split('.');
  const noun = controller.replace(CONTROLLER, '');
  const named = NAMED[`${noun}.${method}`];
  if (named !== undefined) return named;
  if (VERBS.has(FIRST_WORD.exec(noun)?.[0] ?? '')) return noun.charAt(0).toLowerCase() + noun.slice(1);
  return `${method}${PLURAL_METHODS.includes(method) ? noun : singular(noun)}`;
}

function singular(noun: string): string {
  if (/ies$/.test(noun)) return noun.replace(/ies$/, 'y');
  return noun.endsWith('s') ? noun.slice(0, -1) : noun;
}
