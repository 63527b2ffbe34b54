import type { Fault } from './types.js';

/**
 * A request that failed for good. `code` is the service's (`VALIDATION_ERROR`, `CONFLICT`, …), or one of the client:
 * `NETWORK_ERROR` (no answer), `INVALID_ANSWER` (something between us and the service answered), `CONVERSION_FAULTS`
 * (it breaks a rule; nothing was sent), `CLOSED`.
 */
export class TruetallyError extends Error implements Fault {
  override readonly name = 'TruetallyError';
  readonly code: string;
  readonly details: Fault['details'];

  /**
   * @param status 0 when there was no answer
   * @param isRetryable whether the same request may pass later
   */
  constructor(
    fault: Fault,
    readonly status: number,
    readonly requestId: string | undefined,
    readonly isRetryable: boolean,
  ) {
    super(fault.message);
    this.code = fault.code;
    this.details = fault.details;
  }
}
