import { type logCreator } from 'kafkajs';

/** What this library needs of a logger; pino fits. */
export interface MessagingLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * The driver's own lines are details: it calls each refused connection an error, many times a second during an
 * outage. What a person should know (a consumer restarted, a send repeated) this library says itself.
 */
export function driverLog(log: MessagingLog): logCreator {
  return () => (entry) => {
    const { message, groupId, broker, error } = entry.log;
    log.debug(
      { driver: entry.namespace, groupId, broker, error: error === undefined ? undefined : String(error) },
      message,
    );
  };
}
