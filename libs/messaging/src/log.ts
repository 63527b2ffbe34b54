import { type logCreator } from 'kafkajs';

/** The logger interface of this library; pino fits. */
export interface MessagingLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * The driver's own lines are logged as details: it reports each refused connection as an error, many times a
 * second during an outage. This library logs what an operator needs (a consumer restarted, a send repeated).
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
