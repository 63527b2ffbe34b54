import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, createLogger, Metrics, runUntilSignal, startOperations } from '@truetally/platform';
import { readDashboardConfig } from './config.js';
import { pageConfiguration } from './page-configuration.js';
import { pageHeaders, previewHeaders } from './page-headers.js';
import { createPageServer, drain } from './page-server.js';
import { servePages } from './serve-pages.js';

const NAME = 'dashboard';
const root = join(import.meta.dirname, '..');

try {
  await serve();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

/** Serves the dashboard's files. The process knows no Kafka, no Postgres and no secret. */
async function serve(): Promise<void> {
  const config = readDashboardConfig(process.env);
  const log = createLogger({ service: NAME, instance: config.INSTANCE_ID, level: config.LOG_LEVEL });
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  const metrics = new Metrics(NAME);
  metrics.tellBuild(config);
  const answered = metrics.counter('http_requests_total', 'Answered requests.', ['status']);
  const listener = servePages({
    folder: join(root, 'dist', 'web'),
    headers: pageHeaders(config),
    previewHeaders: previewHeaders(config),
    configuration: pageConfiguration(config, version),
  });
  const server = createPageServer((request, response) => {
    response.once('finish', () => answered.inc({ status: String(response.statusCode) }));
    listener(request, response);
  });
  let isServing = false;
  const operations = await startOperations({
    host: config.OPERATIONS_HOST,
    port: config.OPERATIONS_PORT,
    metrics,
    ready: () => Promise.resolve({ serving: isServing }),
  });
  runUntilSignal({
    log,
    timeoutMs: config.SHUTDOWN_TIMEOUT_MS,
    stop: async () => {
      isServing = false;
      await drain(server, config.SHUTDOWN_TIMEOUT_MS / 2);
      await operations.close();
    },
  });
  await new Promise<void>((resolve) => server.listen(config.HTTP_PORT, config.HTTP_HOST, resolve));
  isServing = true;
  log.info({ port: config.HTTP_PORT }, 'Ready.');
}
