import type { Messaging } from '@truetally/messaging';
import type { Logger, Metrics } from '@truetally/platform';
import type { HealthReader } from '@truetally/service';
import type { GatewayConfig } from '../config.js';
import type { Closing } from './closing.js';

/** The base of every part of the gateway, created before the first module. */
export class GatewayFoundation {
  readonly config: GatewayConfig;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly messaging: Messaging;
  readonly health: HealthReader;
  readonly closing: Closing;

  constructor({ config, log, metrics, messaging, health, closing }: GatewayFoundation) {
    this.config = config;
    this.log = log;
    this.metrics = metrics;
    this.messaging = messaging;
    this.health = health;
    this.closing = closing;
  }
}
