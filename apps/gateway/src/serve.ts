import 'reflect-metadata';
import { createLogger, runUntilSignal } from '@truetally/platform';
import { readGatewayConfig } from './config.js';
import { startGateway } from './gateway.js';

const config = readGatewayConfig();
const log = createLogger({ service: 'gateway', instance: config.INSTANCE_ID, level: config.LOG_LEVEL });
const gateway = startGateway(config, log);
runUntilSignal({
  log,
  timeoutMs: config.SHUTDOWN_TIMEOUT_MS,
  stop: async () => (await gateway).close(),
});
const { httpPort, operationsPort } = await gateway;
log.info({ http_port: httpPort, operations_port: operationsPort }, 'Listening.');
