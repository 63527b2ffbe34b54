import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';

/** The structured logger of a process. */
export type Logger = PinoLogger;

/**
 * Fields that may contain a credential, a click value or personal data; removed wherever a log line names
 * them.
 */
const SECRET_FIELDS = [
  'authorization',
  'cookie',
  'x-api-key',
  'api_key',
  'apiKey',
  'key',
  'token',
  'runtime_token',
  'runtimeToken',
  'secret',
  'password',
  'provider_click_id',
  'click_reference',
  'body',
];

/** Fields of every log line, and the level of the log (`trace` to `fatal`). */
export interface LoggerOptions {
  readonly service: string;
  readonly instance: string;
  readonly level: string;
}

/** JSON lines on standard output. `destination` lets tests read them. */
export function createLogger(options: LoggerOptions, destination?: DestinationStream): Logger {
  const settings = {
    level: options.level,
    base: { service: options.service, instance: options.instance },
    timestamp: pino.stdTimeFunctions.isoTime,
    messageKey: 'message',
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: SECRET_FIELDS.flatMap(atEveryDepth), censor: '[redacted]' },
  };
  return destination === undefined ? pino(settings) : pino(settings, destination);
}

/** At the top, and one and two levels down: our log lines are not nested deeper. */
function atEveryDepth(field: string): string[] {
  const quoted = `["${field}"]`;
  return [quoted, `*${quoted}`, `*.*${quoted}`];
}
