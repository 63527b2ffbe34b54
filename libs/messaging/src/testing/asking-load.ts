import { setTimeout as pause } from 'node:timers/promises';
import { type KafkaAskClient } from '../index.js';

/** A fault needs questions at every moment, and no busy processors. */
const PAUSE_MS = 10;

/** Askers that ask continuously, each in sequence, and count the outcomes. */
export class AskingLoad {
  /** Values of the asks that were answered with `ok`. */
  readonly values: string[] = [];
  /** Replies that were not `ok`. */
  readonly refused: unknown[] = [];
  asked = 0;
  private isStopping = false;
  private askers: Promise<void>[] = [];

  constructor(
    private readonly client: KafkaAskClient,
    private readonly topic: string,
  ) {}

  get answered(): number {
    return this.values.length;
  }

  start(askers: number): void {
    this.askers = Array.from({ length: askers }, () => this.askOn());
  }

  /** Resolves when every ask has its reply. */
  async stop(): Promise<void> {
    this.isStopping = true;
    await Promise.all(this.askers);
  }

  private async askOn(): Promise<void> {
    while (!this.isStopping) {
      const value = `value-${this.asked++}`;
      const reply = await this.client.ask({ to: this.topic, key: value, value });
      if ('ok' in reply) this.values.push(value);
      else this.refused.push(reply);
      await pause(PAUSE_MS);
    }
  }
}
