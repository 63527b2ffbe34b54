import { randomBytes } from 'node:crypto';
import { integer, port, text } from './config.js';
import { databaseSettings } from './database-settings.js';
import { kafkaSettings } from './kafka-settings.js';
import { tracingSettings } from './tracing-settings.js';

const DEFAULT_SHUTDOWN_TIMEOUT_MS = 10_000;
const MAX_SHUTDOWN_TIMEOUT_MS = 600_000;
const INSTANCE_RANDOM_BYTES = 4;
const MAX_DATABASE_CONNECTIONS = 100;
const UNKNOWN = 'unknown';
const BUILD = /^[A-Za-z0-9._+-]{1,64}$/;
const IDENTIFIER = /^[a-z_][a-z0-9_]{0,62}$/;

/** What an image says of itself. */
export const BUILD_SETTINGS = {
  BUILD_VERSION: text({ default: UNKNOWN, pattern: BUILD, rule: 'a version of the product' }),
  BUILD_COMMIT: text({ default: UNKNOWN, pattern: BUILD, rule: 'the commit that was built' }),
};

/** The variables of every service; each adds its own. */
export function serviceSettings(service: string) {
  return {
    ...kafkaSettings(),
    ...databaseSettings(),
    DATABASE_SCHEMA: text({
      default: service.replaceAll('-', '_'),
      pattern: IDENTIFIER,
      rule: 'a lower-case SQL identifier',
    }),
    OPERATIONS_HOST: text({ default: '127.0.0.1' }),
    OPERATIONS_PORT: port(),
    LOG_LEVEL: text({
      default: 'info',
      pattern: /^(trace|debug|info|warn|error|fatal)$/,
      rule: 'trace, debug, info, warn, error or fatal',
    }),
    INSTANCE_ID: text({
      default: `${service}-${randomBytes(INSTANCE_RANDOM_BYTES).toString('hex')}`,
      pattern: /^[A-Za-z0-9._-]{1,100}$/,
      rule: 'at most 100 letters, digits, dots, dashes or underscores',
    }),
    SHUTDOWN_TIMEOUT_MS: integer({
      min: 0,
      max: MAX_SHUTDOWN_TIMEOUT_MS,
      default: DEFAULT_SHUTDOWN_TIMEOUT_MS,
    }),
    ...BUILD_SETTINGS,
    ...tracingSettings(),
  };
}

/** @param least the minimum that a service needs, and `usual` its default */
export function databaseConnections({ least, usual }: { readonly least: number; readonly usual: number }) {
  return integer({ min: least, max: MAX_DATABASE_CONNECTIONS, default: usual });
}

/** Settings of a program that an operator runs beside the service, with the same rights. */
export function programSettings(service: string) {
  const { DATABASE_SCHEMA, LOG_LEVEL, INSTANCE_ID } = serviceSettings(service);
  return { ...kafkaSettings(), ...databaseSettings(), DATABASE_SCHEMA, LOG_LEVEL, INSTANCE_ID };
}

/** Settings of a verification: an owner's connection, or the service's own. */
export function verificationSettings(service: string) {
  const { DATABASE_URL, DATABASE_SSL_CA_FILE, DATABASE_SCHEMA, LOG_LEVEL } = serviceSettings(service);
  return { DATABASE_URL, DATABASE_SSL_CA_FILE, DATABASE_SCHEMA, LOG_LEVEL };
}

/** Name of the schema of another service, with which a verification compares; empty where its connection may not read it. */
export function comparedSchema() {
  return text({ default: '', pattern: /^([a-z_][a-z0-9_]{0,62})?$/, rule: 'a schema' });
}

/** Settings of a migration step: an owner's connection, and the service's role, which it creates if its password is set. */
export function migrationSettings(service: string) {
  return {
    ...databaseSettings(),
    DATABASE_SCHEMA: text({
      default: service.replaceAll('-', '_'),
      pattern: IDENTIFIER,
      rule: 'a lower-case SQL identifier',
    }),
    DATABASE_ROLE: text({
      default: `truetally_${service.replaceAll('-', '_')}`,
      pattern: IDENTIFIER,
      rule: 'a lower-case SQL identifier',
    }),
    DATABASE_ROLE_PASSWORD: {
      ...text(),
      secret: true,
      rule: 'the password of the role that the service logs in with',
      fallback: () => '',
    },
    LOG_LEVEL: text({ default: 'info' }),
  };
}
