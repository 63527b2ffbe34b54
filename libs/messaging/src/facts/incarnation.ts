import { text } from '../wire.js';

/** On facts from an outbox: the incarnation of the database that they come from (`Revision`). */
const HEADER = 'incarnation';
const WHOLE_NUMBER = /^\d{1,15}$/;

/** The incarnation that a record's headers name; 0 where they name none. */
export function incarnationOf(
  headers: Readonly<Record<string, Parameters<typeof text>[0]>> | undefined,
): number {
  const named = text(headers?.[HEADER]);
  return named !== undefined && WHOLE_NUMBER.test(named) ? Number(named) : 0;
}
