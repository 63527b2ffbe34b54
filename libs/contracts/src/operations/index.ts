export {
  readReconcileEvents,
  type ReconcileEvents,
  type ReconciledHour,
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
  type SetAsideFactResource,
} from './set-aside-facts.js';
