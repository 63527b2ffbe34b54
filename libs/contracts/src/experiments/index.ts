export { EXPERIMENTS } from './service.js';
export {
  type Assigned,
  AssignmentResource,
  type AssignSession,
  AssignSessionBody,
  type AssignSessionReply,
  ASSIGN_SESSION,
  DEVICE_CLASSES,
  type DeviceClass,
  ASSIGNED,
  readAssignSessionBody,
  SessionAssignments,
  type Variant,
  VARIANTS,
} from './assign-session.js';
export {
  AllocationBody,
  campaignErrors,
  DEFAULT_ALPHA,
  DEFAULT_POWER,
  Eligibility,
  EligibilityBody,
  EXPERIMENT_STATES,
  ExperimentBody,
  type ExperimentFields,
  ExperimentResource,
  type ExperimentState,
  readExperiment,
} from './experiment.js';
export {
  AdjustedInterval,
  ArmCounts,
  CoveredEstimate,
  Effect,
  Estimate,
  Interval,
  MeanEstimate,
  PowerResults,
  RelativeEstimate,
  RequiredSample,
  SampleRatio,
  SequentialInterval,
  SeriesEffect,
  SeriesSampleRatio,
  ShareEstimate,
} from './estimates.js';
export { type ExperimentMetric, METRICS_OF_EXPERIMENT } from './metrics.js';
export {
  ArmResults,
  ExperimentResults,
  type Presence,
  ResultsSeries,
  SampleRatioPart,
  MeasuredExperiment,
  SampleRatioResults,
  SeriesArm,
  SeriesPoint,
  SessionConcentration,
  UnseenSessions,
} from './results.js';
export { PlanSample } from './plan-sample.js';
export {
  READ_WITHHELD,
  type ReadWithheld,
  type ReadWithheldReply,
  WITHHELD,
  type Withheld,
} from './read-withheld.js';
