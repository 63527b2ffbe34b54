import * as all from './all.js';
import type { Placed } from './operation.js';
import { declaredOperationsOf, jobStepOf, type ServiceEntry, topicOf, topicsOf } from './service-entry.js';
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

/** Where the programs of a service are: `main.js`, `serve.js` and `migrate.js` in `apps/<app>/<folder>`. */
export interface ServicePrograms {
  /** The app's folder and the image's name. */
  readonly app: ServiceName;
  readonly folder: string;
}

/** The place of a service's programs. */
export function programsOf(name: ServiceName): ServicePrograms {
  const entry = SERVICES.find((service) => service.name === name);
  const app = SERVICE_NAMES.find((other) => other === entry?.imageOf);
  return app === undefined ? { app: name, folder: 'dist' } : { app, folder: `dist/${name}` };
}

/** Services with an image of their own. */
export const IMAGE_NAMES: readonly ServiceName[] = SERVICE_NAMES.filter(
  (name) => programsOf(name).app === name,
);

/** Every topic of the product; tests and tools create them. */
export const ALL_TOPICS: readonly TopicSpec[] = SERVICES.flatMap(topicsOf);

/** How services are asked to erase a site, one operation each. */
export const JOB_STEPS = SERVICES.filter(({ isAskedToEraseSites }) => isAskedToEraseSites).map(jobStepOf);

const DECLARED = SERVICES.flatMap(declaredOperationsOf);

/** All operations by key. A key is unique over all services. */
export const OPERATIONS = Object.fromEntries(DECLARED) as Together<PlacedOperations<Entry['operations']>>;

/** Facts, and requests with topics of their own, by key. A key is unique over all services. */
export const TOPICS = Object.assign(
  Object.fromEntries(
    DECLARED.filter(([, { partitions }]) => partitions !== undefined).map(([key, operation]) => [
      key,
      topicOf(operation),
    ]),
  ),
  ...SERVICES.map(({ facts }) => facts),
) as Together<Entry['facts'] | OwnTopics<Entry['operations']>>;

type PlacedOperations<Specs> = Specs extends unknown
  ? { readonly [Key in keyof Specs]: Specs[Key] & Placed }
  : never;

type OwnTopics<Specs> = Specs extends unknown
  ? {
      readonly [
        Key in keyof Specs as Specs[Key] extends { readonly partitions: number } ? Key : never
      ]: TopicSpec;
    }
  : never;

/** From the union of the services' records, the intersection that has all members. */
type Together<Union> = (Union extends unknown ? (one: Union) => void : never) extends (one: infer All) => void
  ? All
  : never;
