import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, HttpStatus } from '@nestjs/common';
import type { Logger } from '@truetally/platform';
import type { EdgeResponse } from './exchange.js';
import { refuse } from './respond.js';

/**
 * The last resort: an exception of a controller is a bug and gets 500 without details, which are logged.
 * Refusals of Express itself (invalid percent-encoding) are the client's error.
 */
@Catch()
export class FailureFilter implements ExceptionFilter {
  constructor(private readonly log: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const { exchange } = host.switchToHttp().getResponse<EdgeResponse>();
    const status = error instanceof HttpException ? error.getStatus() : HttpStatus.INTERNAL_SERVER_ERROR;
    if (status === HttpStatus.NOT_FOUND) return refuse(exchange, 'not-found');
    if (status === HttpStatus.BAD_REQUEST) return refuse(exchange, 'malformed-request');
    this.log.error(
      { err: error, request_id: exchange.requestId },
      'A request failed in a way that is a bug.',
    );
    refuse(exchange, 'internal-error');
  }
}
