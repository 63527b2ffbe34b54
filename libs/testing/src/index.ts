export { eventually, type EventuallyOptions } from './eventually.js';
export { clockEnvironment } from './faults/clock-environment.js';
export { type Weather } from './faults/delay-line.js';
export { type FaultyLink, openFaultyLink, openKafkaLink } from './faults/faulty-link.js';
export { mountSmallFileSystem, type SmallFileSystem } from './faults/small-file-system.js';
export { freePort, isPortFree } from './free-port.js';
export { type Answer, type Envelope, request, type RequestOptions } from './http/request.js';
export { type Attempt, tryToRead, tryToWrite, type Verdict } from './kafka/attempt.js';
export { changePassword } from './kafka/config-command.js';
export { endDockerBroker, removeDockerBroker } from './kafka/docker-broker.js';
export { type KafkaProxy, startKafkaProxy } from './kafka/kafka-proxy.js';
export { isServing as isKafkaServing } from './kafka/probe.js';
export { BROKER_NAME, type SaslUser, type SecuredListeners } from './kafka/secured-listeners.js';
export {
  type KafkaCluster,
  type KafkaOptions,
  type LocalKafka,
  startKafka,
  startKafkaCluster,
} from './kafka/start-kafka.js';
export { type RecordToWrite, writeRecord } from './kafka/write-record.js';
export {
  type IssuerKey,
  newIssuerKeys,
  readIssuerKeys,
  type SigningAlgorithm,
  writeIssuerKeys,
} from './oidc/issuer-keys.js';
export {
  type IdTokenRequest,
  mintIdToken,
  TOKEN_ALGORITHMS,
  type TokenAlgorithm,
} from './oidc/mint-token.js';
export { type IssuerPlace, issuerUrl, startIssuer } from './oidc/start-issuer.js';
export { changeCertificate } from './postgres/server-tls.js';
export {
  type LocalPostgres,
  type PostgresOptions,
  removePostgresData,
  startPostgres,
} from './postgres/start-postgres.js';
export { type PostgresReplica, startReplica } from './postgres/start-replica.js';
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
export {
  isReady,
  type LocalService,
  programEnvironment,
  type ServiceOptions,
  spawnService,
} from './process/spawn-service.js';
export { statFields, treeOf } from './process/process-table.js';
export { signalTree } from './process/signal-tree.js';
export { NODE_BINARY, REPOSITORY_ROOT } from './repository.js';
export { type S3Server, startS3Server } from './s3/start-s3-server.js';
export { settleAll } from './settle-all.js';
export {
  createTestDatabase,
  dropSchemas,
  type TestDatabase,
  type TestStack,
  testStack,
  testTopicPrefix,
  uniqueName,
  urlOfRole,
} from './test-stack.js';
export { Authority, type CertificateFiles, type CertificateRequest } from './tls/authority.js';
export { untilHourLasts } from './until-hour-lasts.js';
