import { Controller } from '@nestjs/common';
import type { ResourceCommand, ResourceQuery } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type AskContext, Handles } from '@truetally/messaging';
import { ResourceDatabase } from '@truetally/resource';
import { createSubmission } from './create-submission.js';
import { listSubmissionFields } from './list-submission-fields.js';
import { listSubmissions } from './list-submissions.js';
import { readSubmission } from './read-submission.js';

@Controller()
export class SubmissionsConsumer {
  constructor(private readonly database: ResourceDatabase) {}

  @Handles(OPERATIONS.createSubmission)
  create(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, createSubmission);
  }

  @Handles(OPERATIONS.listSubmissions)
  list(query: ResourceQuery) {
    return this.database.query(query, listSubmissions);
  }

  @Handles(OPERATIONS.listSubmissionFields)
  listFields(query: ResourceQuery) {
    return this.database.query(query, listSubmissionFields);
  }

  @Handles(OPERATIONS.readSubmission)
  read(query: ResourceQuery) {
    return this.database.query(query, readSubmission);
  }
}
