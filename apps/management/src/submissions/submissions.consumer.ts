import type { ResourceAnswers } from '@truetally/resource';
import type { Answers } from '@truetally/service';
import { listing } from '../resource-work.js';
import { fieldsOfSubmissions, pageOfSubmissions } from '../storage/submission.store.js';
import { createSubmission } from './create-submission.js';
import { readSubmission } from './read-submission.js';

export const submissionsAnswers = ({ command, query }: ResourceAnswers): Answers => ({
  createSubmission: command(createSubmission),
  listSubmissions: query(listing(pageOfSubmissions)),
  listSubmissionFields: query(
    listing(async (client, asked, siteIds) => ({
      ok: { fields: await fieldsOfSubmissions(client, asked, siteIds) },
    })),
  ),
  readSubmission: query(readSubmission),
});
