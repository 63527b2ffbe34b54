import { MANAGEMENT } from '@truetally/contracts/management';
import type { JobStep, JobStepReport } from '@truetally/contracts/jobs';
import { jobStepOf, SERVICES } from '@truetally/contracts/services';
import type { Operation } from '@truetally/contracts/topics';

/** Management's own part in an erasure. */
export const OWN_NAME = MANAGEMENT.name;

/** Another service that is asked to erase people, and how it knows them. */
export interface AskedService {
  readonly name: string;
  readonly operation: Operation<JobStep, JobStepReport>;
  readonly knowsPeopleBy: 'ids' | 'subjects';
}

/**
 * Those that know people by their ids first: they find the sessions and clicks by which the others know them. Each is asked behind
 * those whose facts it follows, which publish them before they confirm.
 */
export const ASKED_SERVICES: readonly AskedService[] = SERVICES.flatMap((entry) => {
  const { name, knowsPeopleBy, isAskedToEraseSites } = entry;
  if (knowsPeopleBy === 'nothing' || !isAskedToEraseSites) return [];
  return [{ name, operation: jobStepOf(entry), knowsPeopleBy }];
}).toSorted((left, right) => orderOf(left) - orderOf(right));

/** Every service with an entry in the proof of an erasure. */
export const SERVICES_OF_PEOPLE: readonly string[] = [OWN_NAME, ...ASKED_SERVICES.map(({ name }) => name)];

function orderOf({ knowsPeopleBy }: AskedService): number {
  return knowsPeopleBy === 'ids' ? 0 : 1;
}
