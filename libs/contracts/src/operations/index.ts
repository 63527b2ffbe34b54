export {
  readReconcileEvents,
  type ReconcileEvents,
  type ReconciledHour,
  type ReconciliationPage,
} from './reconcile-events.js';
