import { fail, type Result, succeed } from '@truetally/kernel';
import { RecordReader } from '../facts/record-reader.js';
import { type ReadOrder } from './order-resource.js';

/** The message on `attribution-ledger.read-order`. */
export function encodeReadOrder(request: ReadOrder): string {
  return JSON.stringify(request);
}

/** Reads the parsed message back; never throws. */
export function readReadOrderMessage(message: unknown): Result<ReadOrder, string> {
  const reader = RecordReader.from(message);
  if (reader === undefined) return fail('not an object');
  const request: ReadOrder = {
    site_id: reader.text('site_id'),
    order_id: reader.text('order_id'),
    limit: reader.integer('limit'),
    cursor: reader.textOrNull('cursor'),
  };
  const faults = reader.faultsWith();
  return faults.length === 0 ? succeed(request) : fail(`unreadable: ${faults.join(', ')}`);
}
