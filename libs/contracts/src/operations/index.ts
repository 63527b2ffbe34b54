export { ConsumerLag, PlatformHealth, TopicResource } from './platform-state.js';
export { ReconcileEvents, ReconciledHour } from './reconcile-events.js';
export {
  HandleSetAsideFact,
  isSetAsideId,
  ListSetAsideFacts,
  SET_ASIDE_ACTIONS,
  type SetAsideAction,
  SetAsideFactList,
  SetAsideFactResource,
} from './set-aside-facts.js';
