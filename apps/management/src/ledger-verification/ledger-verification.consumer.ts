import { Controller } from '@nestjs/common';
import type { ResourceCommand } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type AskContext, Handles } from '@truetally/messaging';
import { ResourceDatabase } from '@truetally/resource';
import { beginLedgerVerification } from './begin-ledger-verification.js';

@Controller()
export class LedgerVerificationConsumer {
  constructor(private readonly database: ResourceDatabase) {}

  @Handles(OPERATIONS.beginLedgerVerification)
  begin(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, beginLedgerVerification);
  }
}
