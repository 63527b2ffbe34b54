import { ACCOUNTS, type Fault, faultOf, FIRST_PREVIOUS_HASH, minorOf } from './sealed-record.js';
import type { SealedFields, SealedRecord } from './sealed-record.js';

interface OrderState {
  readonly sequence: bigint;
  readonly balances: readonly bigint[];
}

/** Of which the balances are kept: about 60 MB. */
const KEPT_ORDERS = 100_000;
const NO_ORDER: OrderState = { sequence: 0n, balances: ACCOUNTS.map(() => 0n) };

/**
 * Seals a chain again, record after record, and stops at the first that is wrong: its own seal, its link to the record before
 * it, and what remains of its order after it. It keeps its place, so that a run goes on where the last one ended.
 */
export class ChainWalk {
  /** How many records were found sound. */
  checked = 0;
  fault: Fault | undefined;
  private last: Pick<SealedRecord, 'hash' | 'sequence'> = { sequence: '0', hash: FIRST_PREVIOUS_HASH };
  private readonly orders = new Map<string, OrderState>();
  /** Whether an order may have earlier entries that are not kept any more. */
  private hasForgotten = false;

  /** @param siteId whose chain it is. @param head of the chain, as the service named it before the walk */
  constructor(
    private readonly siteId: string,
    private readonly head: Pick<SealedRecord, 'hash' | 'sequence'>,
  ) {}

  /** The place of the next record, a whole number as text. */
  get next(): string {
    return String(BigInt(this.last.sequence) + 1n);
  }

  /** The last sound record; "0" and 64 zeros before the first. */
  get end(): Pick<SealedRecord, 'hash' | 'sequence'> {
    return this.last;
  }

  /** The records that follow, in order. */
  async take(records: readonly SealedRecord[]): Promise<void> {
    for (const record of records) {
      this.fault ??= await this.faultOf(record);
      if (this.fault !== undefined) return;
      this.last = record;
      this.checked += 1;
    }
  }

  /** No record follows: the chain has to reach its head. */
  finish(): void {
    const { sequence } = this.head;
    if (this.fault !== undefined || BigInt(this.last.sequence) >= BigInt(sequence)) return;
    this.fault = { sequence: this.next, text: `the chain ends before its head, place ${sequence}` };
  }

  private async faultOf(record: SealedRecord): Promise<Fault | undefined> {
    const { sequence } = record;
    if (sequence !== this.next)
      return { sequence: this.next, text: `place ${sequence} follows instead of it` };
    if (record.previous_hash !== this.last.hash) {
      return { sequence, text: 'the hash before it is not that of the record before it' };
    }
    if (sequence === this.head.sequence && record.hash !== this.head.hash) {
      return { sequence, text: `its hash is ${record.hash}, the head named ${this.head.hash}` };
    }
    return (await faultOf(record, this.siteId)) ?? this.faultOfOrder(sequence, new Map(record.fields));
  }

  /** What remains of an order is what remained before and what this record changes. */
  private faultOfOrder(sequence: string, fields: SealedFields): Fault | undefined {
    const orderId = fields.get('order_id') ?? '';
    const orderSequence = BigInt(fields.get('order_sequence') ?? '0');
    const balances = ACCOUNTS.map((account) => minorOf(fields, `${account}_balance`));
    const known = this.orders.get(orderId);
    this.keep(orderId, { sequence: orderSequence, balances });
    if (known === undefined && this.hasForgotten && orderSequence > 1n) return undefined;
    const before = known ?? NO_ORDER;
    if (orderSequence !== before.sequence + 1n) {
      return { sequence, text: `it is entry ${orderSequence} of order ${orderId}, after ${before.sequence}` };
    }
    const wrong = ACCOUNTS.find(
      (account, place) => (before.balances[place] ?? 0n) + minorOf(fields, account) !== balances[place],
    );
    return wrong === undefined
      ? undefined
      : { sequence, text: `${wrong} of order ${orderId} does not sum to its balance` };
  }

  /** The latest ones: the order that was not changed for longest goes first. */
  private keep(orderId: string, state: OrderState): void {
    this.orders.delete(orderId);
    this.orders.set(orderId, state);
    if (this.orders.size <= KEPT_ORDERS) return;
    const [oldest = ''] = this.orders.keys();
    this.orders.delete(oldest);
    this.hasForgotten = true;
  }
}

/** What somebody keeps to see later that a chain was not sealed again as a whole. */
export interface KeptHead {
  readonly website_id: string;
  readonly sequence: string;
  readonly hash: string;
}

/** @returns undefined when the text is no kept head */
export function readKeptHead(text: string): KeptHead | undefined {
  let kept: unknown;
  try {
    kept = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof kept !== 'object' || kept === null) return undefined;
  const { website_id, sequence, hash } = kept as Record<string, unknown>;
  const isHead =
    typeof website_id === 'string' &&
    typeof sequence === 'string' &&
    /^[1-9]\d{0,17}$/.test(sequence) &&
    typeof hash === 'string' &&
    /^[0-9a-f]{64}$/.test(hash);
  return isHead ? { website_id, sequence, hash } : undefined;
}

/** Whether the chain still has the kept head; `record` stands at its place now. */
export async function faultOfKept(
  kept: KeptHead,
  record: SealedRecord | undefined,
  siteId: string,
): Promise<Fault | undefined> {
  const { sequence } = kept;
  if (kept.website_id !== siteId) {
    return { sequence: null, text: `the kept head is of another chain, that of site ${kept.website_id}` };
  }
  if (record?.sequence !== sequence) return { sequence, text: 'the chain has no record at this place' };
  const fault = await faultOf(record, siteId);
  if (fault !== undefined) return fault;
  return record.hash === kept.hash
    ? undefined
    : { sequence, text: `the chain has ${record.hash} there, kept was ${kept.hash}` };
}
