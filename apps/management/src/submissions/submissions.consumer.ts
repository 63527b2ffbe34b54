import type { ResourceAnswers } from '@truetally/resource';
import type { Answers } from '@truetally/service';
import { createSubmission } from './create-submission.js';
import { listSubmissionFields } from './list-submission-fields.js';
import { listSubmissions } from './list-submissions.js';
import { readSubmission } from './read-submission.js';

export const submissionsAnswers = ({ command, query }: ResourceAnswers): Answers => ({
  createSubmission: command(createSubmission),
  listSubmissions: query(listSubmissions),
  listSubmissionFields: query(listSubmissionFields),
  readSubmission: query(readSubmission),
});
