import { runRepublish } from '@truetally/service';
import { readVerifyConfig } from './config.js';
import { republishAssignments } from './storage/republish-assignments.js';

await runRepublish('experiments', readVerifyConfig(), { assignments: republishAssignments });
