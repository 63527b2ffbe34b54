export {
  addressBlocks,
  type Configuration,
  ConfigError,
  flag,
  integer,
  json,
  list,
  port,
  readConfig,
  secret,
  type Setting,
  type Settings,
  text,
  url,
} from './config.js';
export { networkOf, plainAddress } from './client-network.js';
export { closeBehindAnswers, isAnswering, responseOn } from './close-behind-answers.js';
export { Connections } from './connections.js';
export { databaseSettings, databaseUrlOf, postgresUrl } from './database-settings.js';
export { type MetricDescription, recordDescribed } from './described-metrics.js';
export {
  type KafkaSecurityConfig,
  kafkaSecurityOf,
  type KafkaSecurityOptions,
  kafkaSecuritySettings,
} from './kafka-settings.js';
export { type Lifecycle, runUntilSignal } from './lifecycle.js';
export { lookInterval, lookOut, type LookOut } from './look-out.js';
export { createLogger, type Logger, type LoggerOptions } from './logger.js';
export { repeatedly, type Repetition } from './repeatedly.js';
export { mediaStoreOf, type MediaStoreOptions, mediaStoreSettings } from './media-store-settings.js';
export { Metrics } from './metrics.js';
export { type Operations, type OperationsOptions, startOperations } from './operations.js';
export { leadsInside, type Reachable, UnreachableAddressError } from './reachable-lookup.js';
export { requestErrorCode, requestWithin, retryAfterMsOf } from './reachable-request.js';
export {
  BUILD_SETTINGS,
  databaseConnections,
  migrationSettings,
  programSettings,
  serviceSettings,
  verificationSettings,
  comparedSchema,
} from './service-settings.js';
export { openTracing } from './tracing-settings.js';
export { withinTime } from './within-time.js';
