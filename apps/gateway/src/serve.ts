import 'reflect-metadata';
import { runProcess } from '@truetally/service';
import { readGatewayConfig } from './config.js';
import { buildGateway } from './gateway.js';

/** Runs the gateway until a signal ends the process. Resolves when it serves. @throws ConfigError */
export async function serve(environment?: NodeJS.ProcessEnv): Promise<void> {
  const config = readGatewayConfig(environment);
  await runProcess({ service: 'gateway', config, build: (context) => buildGateway(config, context) });
}
