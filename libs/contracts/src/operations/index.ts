export { ConsumerLag, PlatformHealth, TopicResource } from './platform-state.js';
export {
  readReconcileEvents,
  type ReconcileEvents,
  ReconciledHour,
  type ReconciliationPage,
} from './reconcile-events.js';
export {
  type HandleSetAsideFact,
  isSetAsideId,
  type ListSetAsideFacts,
  readHandleSetAsideFact,
  readListSetAsideFacts,
  SET_ASIDE_ACTIONS,
  type SetAsideAction,
  type SetAsideFactList,
  SetAsideFactResource,
} from './set-aside-facts.js';
