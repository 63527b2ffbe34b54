import type { ResourceAnswers } from '@truetally/resource';
import type { Answers } from '@truetally/service';
import { listing } from '../resource-work.js';
import { fieldsOfSubmissions, pageOfSubmissions } from '../storage/submission.store.js';
import { createSubmission } from './create-submission.js';
import { readSubmission } from './read-submission.js';

export const submissionsAnswers = ({ command, query, report }: ResourceAnswers): Answers => ({
  createSubmission: command(createSubmission),
  listSubmissions: query(listing(pageOfSubmissions)),
  // No index read: other readers are not to wait for it.
  listSubmissionFields: report(listing(fieldsOfSubmissions)),
  readSubmission: query(readSubmission),
});
