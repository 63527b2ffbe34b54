import { randomUUID } from 'node:crypto';
import type { ConversionAccepted, ConversionCommand } from '@truetally/contracts/attribution';
import { Pauses } from '@truetally/testing-product';
import { aCancellation, anAdjustment, aPurchase } from './commands.js';
import type { LedgerProcesses } from './ledger-processes.js';
import { aTouch } from './touches.js';

/** All answers to one command. */
export interface Told {
  readonly siteId: string;
  readonly command: ConversionCommand;
  readonly answers: ConversionAccepted[];
}

const CLIENTS = 12;
const SITES = 3;
/** Of each client between its orders. */
const PAUSE_MS = 2_000;

/** Shops that sell, adjust and cancel, and retry until they get an answer. */
export class ShopLoad {
  readonly siteIds = Array.from({ length: SITES }, () => randomUUID());
  readonly told = new Map<string, Told>();
  /** Answers that a shop must not get here. */
  readonly unexpected: string[] = [];
  answered = 0;
  private readonly selling: Promise<unknown>;
  private readonly pauses = new Pauses(PAUSE_MS);
  private isSelling = true;

  constructor(private readonly processes: Pick<LedgerProcesses, 'convert' | 'recordTouches'>) {
    this.selling = Promise.all(Array.from({ length: CLIENTS }, (_, index) => this.keepSelling(index)));
  }

  /** Waits for so many more answers. */
  async more(count: number): Promise<void> {
    const wanted = this.answered + count;
    await this.pauses.until(() => this.answered >= wanted, {
      message: () => `${wanted} answers; unexpected so far: ${this.unexpected.slice(0, 3).join('; ')}`,
    });
  }

  async stop(): Promise<void> {
    this.isSelling = false;
    this.pauses.stop();
    await this.selling;
  }

  private async keepSelling(client: number): Promise<void> {
    for (let number = client; this.isSelling; number += 1) {
      await this.pauses.pause();
      const siteId = this.siteIds[number % SITES] ?? '';
      const touch = aTouch();
      const purchase = aPurchase({ touchIds: [touch.touch_id] });
      const { orderId } = purchase;
      const first = number % 2 === 0 ? this.keepTouch(siteId, touch) : undefined;
      await this.untilAnswered(siteId, purchase);
      await (first ?? this.keepTouch(siteId, touch));
      await this.untilAnswered(siteId, anAdjustment({ orderId }));
      if (number % 3 !== 0) continue;
      await this.untilAnswered(siteId, aCancellation({ orderId, reversedRevenue: 9_000n }));
    }
  }

  /** Like a shop: retries the same command until there is an answer, and sometimes repeats it. */
  private async untilAnswered(siteId: string, command: ConversionCommand): Promise<void> {
    const told: Told = { siteId, command, answers: [] };
    const wanted = this.answered % 5 === 0 ? 2 : 1;
    while (told.answers.length < wanted) {
      const reply = await this.processes.convert(siteId, command);
      if ('ok' in reply) {
        told.answers.push(reply.ok);
        this.answered += 1;
      } else if (reply.error.code !== 'UNAVAILABLE') {
        this.unexpected.push(`${reply.error.code}: ${JSON.stringify(reply.error.details)}`);
        return;
      }
    }
    this.told.set(command.idempotencyKey, told);
  }

  private async keepTouch(siteId: string, touch: ReturnType<typeof aTouch>): Promise<void> {
    for (;;) {
      const reply = await this.processes.recordTouches({ site_id: siteId, touches: [touch] });
      if ('ok' in reply) return;
      if (reply.error.code === 'UNAVAILABLE') continue;
      this.unexpected.push(`${reply.error.code}: ${reply.error.message}`);
      return;
    }
  }
}
