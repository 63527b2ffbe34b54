import type { ErasePerson, JobStepReport, PersonSubjects } from '@truetally/contracts/jobs';
import { erasePersonOnce, type Person, stepOnce } from '@truetally/persistence';
import type { ClientBase, Pool } from 'pg';
import { erasureReport } from './site-erasure.js';

/** What a piece of a person's erasure is about, in a service that knows people by their ids. */
export interface PersonPiece {
  readonly jobId: string;
  readonly erasureId: string;
  readonly person: Person;
}

/** Erases one piece, some tens of milliseconds long, from the cursor of the previous one; from null at first. */
type ErasePiece = (client: ClientBase, asked: PersonPiece, cursor: string | null) => Promise<JobStepReport>;

/** Erases what some sessions and clicks of a site lead to. @param step its name @returns the number of rows */
export type EraseSubjects = (
  client: ClientBase,
  siteId: string,
  subjects: PersonSubjects,
  step: string,
) => Promise<number>;

/** How a service erases a person. */
export interface ErasesPeople {
  /** One step, idempotent. @throws Postgres' error; the step may be repeated */
  step(asked: ErasePerson): Promise<JobStepReport>;
}

/** In a service that knows people by their ids: it stores nothing more of the person, and then erases. */
export class PersonErasure implements ErasesPeople {
  constructor(
    private readonly pool: Pool,
    private readonly erasePiece: ErasePiece,
  ) {}

  step({ name, jobId, erasureId, siteId, userId, cursor }: ErasePerson): Promise<JobStepReport> {
    if (userId === null) throw new Error('The step does not name whom to erase.');
    const person = { siteId, userId };
    const idle = erasureReport({ cursor });
    return erasePersonOnce(this.pool, { name, cursor }, { person, idle }, (client, from) =>
      this.erasePiece(client, { jobId, erasureId, person }, from),
    );
  }
}

/** In a service that knows people by their sessions and clicks alone. */
export class SubjectErasure implements ErasesPeople {
  constructor(
    private readonly pool: Pool,
    private readonly eraseSubjects: EraseSubjects,
  ) {}

  step({ name, siteId, subjects, cursor }: ErasePerson): Promise<JobStepReport> {
    return stepOnce(this.pool, { name, cursor }, async (client) => {
      const done = await this.eraseSubjects(client, siteId, subjects, name);
      return erasureReport({ cursor: null, found: done, done });
    });
  }
}
