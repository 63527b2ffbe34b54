export { eventually, type EventuallyOptions } from './eventually.js';
export { freePort, isPortFree } from './free-port.js';
export { startKafka, type KafkaOptions, type LocalKafka } from './kafka/start-kafka.js';
export {
  type LocalPostgres,
  type PostgresOptions,
  removePostgresData,
  startPostgres,
} from './postgres/start-postgres.js';
export { type LocalServer } from './process/server.js';
export { NODE_BINARY, REPOSITORY_ROOT } from './repository.js';
