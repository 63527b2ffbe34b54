import 'reflect-metadata';
import { runProcess } from '@truetally/service';
import { readGatewayConfig } from './config.js';
import { buildGateway } from './gateway.js';

const config = readGatewayConfig();

await runProcess({ service: 'gateway', config, build: (ground) => buildGateway(config, ground) });
