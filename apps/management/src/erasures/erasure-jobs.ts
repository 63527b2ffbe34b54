import { ERASE_PERSON, type JobStepReport, SUBJECTS_PER_STEP } from '@truetally/contracts/jobs';
import { PROFILE_ERASE } from '@truetally/contracts/management';
import type { Queryable } from '@truetally/resource';
import type { ClientBase } from 'pg';
import type { JobKinds, JobStepPlan } from '../jobs/job-kinds.js';
import type { Piece } from '../storage/job-leases.js';
import {
  addRemoved,
  addSubjects,
  findOpenErasure,
  finishErasure,
  type OpenErasure,
  subjectsAfter,
} from '../storage/erasure.store.js';
import { importsBefore } from '../storage/profile-import.store.js';
import { eraseSubmissionsOfPerson } from '../storage/person-submissions.js';
import { ASKED_SERVICES, type AskedService, OWN_NAME } from './services-of-people.js';

/** How often an erasure looks whether the imports before it have ended. */
const IMPORT_LOOK_MS = 5_000;
const NOTHING: JobStepReport = { cursor: null, found: 0, done: 0, stored: 0, failed: 0, errors: [] };

/**
 * The erasure of a person (docs/decisions/erasing-people.md). Part of it may be gone already, so that it cannot be cancelled.
 * Each service's report is its confirmation, and saved with the step of the job.
 */
export const ERASURE_JOBS: JobKinds = {
  [PROFILE_ERASE]: {
    isCancellable: false,
    plan: ({ params }) => {
      // Written only by the command that created the job.
      const erasureId = params['erasure_id'] as string;
      return [
        ...ASKED_SERVICES.map((service) => asking(service, erasureId)),
        { place: 'here', name: OWN_NAME, run: (client, cursor) => eraseHere(client, erasureId, cursor) },
        { place: 'here', name: 'finish', run: (client) => finish(client, erasureId) },
      ];
    },
  },
};

function asking({ name, operation, knowsPeopleBy }: AskedService, erasureId: string): JobStepPlan {
  const isById = knowsPeopleBy === 'ids';
  return {
    place: 'elsewhere',
    name,
    operation,
    step: ERASE_PERSON,
    params: (client, cursor) =>
      isById ? paramsById(client, erasureId) : paramsBySubjects(client, erasureId, cursor),
    settle: (client, report, params) =>
      isById
        ? settleById(client, { erasureId, service: name }, report)
        : settleBySubjects(client, { erasureId, service: name }, report, params),
  };
}

async function paramsById(client: Queryable, erasureId: string): Promise<Readonly<Record<string, string>>> {
  const { siteId, userId } = await openErasure(client, erasureId);
  return { erasure_id: erasureId, site_id: siteId, user_id: userId };
}

async function paramsBySubjects(
  client: Queryable,
  erasureId: string,
  cursor: string | null,
): Promise<Readonly<Record<string, string>>> {
  const { siteId } = await openErasure(client, erasureId);
  const subjects = await subjectsAfter(client, erasureId, cursor ?? '', SUBJECTS_PER_STEP);
  return { erasure_id: erasureId, site_id: siteId, subjects: JSON.stringify(subjects) };
}

interface Part {
  readonly erasureId: string;
  readonly service: string;
}

async function settleById(client: ClientBase, part: Part, report: JobStepReport): Promise<JobStepReport> {
  await addSubjects(client, part.erasureId, report.subjects ?? []);
  await addRemoved(client, part, { events: report.done }, report.cursor === null);
  return report;
}

/** The service erases all subjects that it is given: the next piece has those behind them. */
async function settleBySubjects(
  client: ClientBase,
  part: Part,
  report: JobStepReport,
  params: Readonly<Record<string, string>>,
): Promise<JobStepReport> {
  const subjects = JSON.parse(params['subjects'] ?? '[]') as readonly string[];
  const cursor = subjects.length < SUBJECTS_PER_STEP ? null : (subjects.at(-1) ?? null);
  await addRemoved(client, part, { other: report.done }, cursor === null);
  return { ...report, cursor };
}

async function eraseHere(client: ClientBase, erasureId: string, cursor: string | null): Promise<Piece> {
  const erasure = await findOpenErasure(client, erasureId);
  if (erasure === undefined) return { report: NOTHING };
  // Their rows may name the person; they are refused when it is their turn, and gone when their job has ended.
  if (await importsBefore(client, erasure.siteId, erasure.requestedAtMs))
    return { againInMs: IMPORT_LOOK_MS };
  const { erased, next } = await eraseSubmissionsOfPerson(client, erasure, cursor);
  await addRemoved(client, { erasureId, service: OWN_NAME }, { submissions: erased }, next === null);
  return { report: { ...NOTHING, cursor: next, found: erased, done: erased } };
}

async function finish(client: ClientBase, erasureId: string): Promise<Piece> {
  await finishErasure(client, erasureId);
  return { report: NOTHING };
}

async function openErasure(client: Queryable, erasureId: string): Promise<OpenErasure> {
  const erasure = await findOpenErasure(client, erasureId);
  if (erasure === undefined) throw new Error('The erasure has ended, and its job has not.');
  return erasure;
}
