import * as all from './all.js';
import { jobStepTopicsOf, type ServiceEntry, topicsOf } from './service-entry.js';
import type { TopicSpec } from './topic-spec.js';

type Entry = (typeof all)[keyof typeof all];
export type ServiceName = Entry['name'];

/** Every service of the product, in the order of their local ports. */
export const SERVICES: readonly (ServiceEntry & { readonly name: ServiceName })[] = Object.values(all).sort(
  (left, right) => left.localOperationsPort - right.localOperationsPort,
);

export const SERVICE_NAMES: readonly ServiceName[] = SERVICES.map(({ name }) => name);

/** Every topic of the product: what tests and tools make sure of. */
export const ALL_TOPICS: readonly TopicSpec[] = SERVICES.flatMap(topicsOf);

/** Where the services are asked to erase what they keep of a site. */
export const JOB_STEP_TOPICS: readonly TopicSpec[] = SERVICES.flatMap(jobStepTopicsOf);

/** A topic of every service, by what its messages are for: no two services have one key for two things. */
export const TOPICS = Object.assign(
  {},
  ...SERVICES.flatMap(({ requests, facts }) => [requests, facts]),
) as Together<Entry['requests'] | Entry['facts']>;

/** From the union of the services' records the one that has the members of all. */
type Together<Union> = (Union extends unknown ? (one: Union) => void : never) extends (one: infer All) => void
  ? All
  : never;
