export { CHROMIUM_FLAGS, CHROMIUM_PATIENCE_MS, TESTED_CHROMIUM_FLAGS } from './chromium-flags.js';
export { eventually, type EventuallyOptions } from './eventually.js';
export { freePort, isPortFree } from './free-port.js';
export { type Answer, type Envelope, request, type RequestOptions } from './http/request.js';
export { changePassword } from './kafka/config-command.js';
export { endDockerBroker, removeDockerBroker } from './kafka/docker-broker.js';
export { isServing as isKafkaServing } from './kafka/probe.js';
export { brokerSettings } from './kafka/settings.js';
export { BROKER_NAME, type SaslUser, type SecuredListeners } from './kafka/secured-listeners.js';
export {
  type KafkaCluster,
  type KafkaOptions,
  type LocalKafka,
  startKafka,
  startKafkaCluster,
} from './kafka/start-kafka.js';
export {
  type IssuerKey,
  newIssuerKeys,
  readIssuerKeys,
  type SigningAlgorithm,
  writeIssuerKeys,
} from './oidc/issuer-keys.js';
export {
  ID_TOKEN_AUDIENCE,
  type IdTokenRequest,
  mintIdToken,
  TOKEN_ALGORITHMS,
  type TokenAlgorithm,
} from './oidc/mint-token.js';
export { type IssuerPlace, issuerUrl, startIssuer } from './oidc/start-issuer.js';
export {
  archiveAll,
  archiveSettings,
  type BaseBackup,
  restoreToInstant,
  takeBaseBackup,
} from './postgres/base-backup.js';
export { NEW_DATA_VARIABLE } from './postgres/kept-data.js';
export { FOR_TESTS } from './postgres/settings.js';
export { changeCertificate } from './postgres/server-tls.js';
export {
  type LocalPostgres,
  type PostgresOptions,
  removePostgresData,
  startPostgres,
} from './postgres/start-postgres.js';
export { type PostgresReplica, startReplica } from './postgres/start-replica.js';
export { urlOfRole } from './postgres/url-of-role.js';
export { endProcess, identify, isAlive, type ProcessIdentity, sendSignal } from './process/identity.js';
export { type ExitStatus, ManagedProcess, type ProcessOptions } from './process/managed-process.js';
export {
  alsoRecordIn,
  endRecordedProcesses,
  forgetProcess,
  recordProcess,
  RECORDS_VARIABLE,
} from './process/records.js';
export { type LocalServer } from './process/server.js';
export { EXIT_FLAGS, WITHOUT_LAST_COMPILER } from './process/exit-flags.js';
export {
  dependenciesAnswer,
  isReady,
  type LocalService,
  programEnvironment,
  programFile,
  type ServiceOptions,
  spawnService,
  spawnTogether,
  TOGETHER,
  untilDependenciesAnswer,
} from './process/spawn-service.js';
export { SHARED_STARTS, type Starts, STARTS_VARIABLE, startsFileOf, startsIn } from './process/starts.js';
export { secondsOfEndedChildren, statFields, treeOf } from './process/process-table.js';
export { signalTree } from './process/signal-tree.js';
export { NODE_BINARY, REPOSITORY_ROOT } from './repository.js';
export { settleAll } from './settle-all.js';
export { Authority, type CertificateFiles, type CertificateRequest } from './tls/authority.js';
