import { formatAddress } from '@truetally/kernel';
import * as all from './all.js';
import { camelCase, type OperationsOf } from './operations.js';
import { jobStepTopicsOf, type ServiceEntry, topicsOf } from './service-entry.js';
import type { TopicSpec } from './topic-spec.js';

type Entry = (typeof all)[keyof typeof all];
/** Name of a service in the catalogue. */
export type ServiceName = Entry['name'];

/** Every service of the product, in the order of their local ports. */
export const SERVICES: readonly (ServiceEntry & { readonly name: ServiceName })[] = Object.values(all).sort(
  (left, right) => left.localOperationsPort - right.localOperationsPort,
);

/** Names of all services, in the order of the catalogue. */
export const SERVICE_NAMES: readonly ServiceName[] = SERVICES.map(({ name }) => name);

/** Every topic of the product; tests and tools create them. */
export const ALL_TOPICS: readonly TopicSpec[] = SERVICES.flatMap(topicsOf);

/** Topics on which services receive requests to erase a site. */
export const JOB_STEP_TOPICS: readonly TopicSpec[] = SERVICES.flatMap(jobStepTopicsOf);

/** Topics of all services by key. A key is unique over all services. */
export const TOPICS = Object.assign(
  {},
  ...SERVICES.flatMap(({ requests, facts }) => [requests, facts]),
) as Together<Entry['requests'] | Entry['facts']>;

/** Addresses of all operations by key, `management.commands/create-site` for example. A key is unique over all services. */
export const OPERATIONS = Object.fromEntries(
  SERVICES.flatMap(({ name, commands, queries }) => [
    ...commands.map((operation) => addressOf(`${name}.commands`, operation)),
    ...queries.map((operation) => addressOf(`${name}.queries`, operation)),
  ]),
) as Together<OperationsOfEntry<Entry>>;

function addressOf(topic: string, operation: string): readonly [key: string, address: string] {
  return [camelCase(operation), formatAddress({ topic, operation })];
}

type OperationsOfEntry<One extends Entry> = One extends Entry
  ? | OperationsOf<One['name'], 'commands', One['commands'][number]>
    | OperationsOf<One['name'], 'queries', One['queries'][number]>
  : never;

/** From the union of the services' records, the intersection that has all members. */
type Together<Union> = (Union extends unknown ? (one: Union) => void : never) extends (one: infer All) => void
  ? All
  : never;
