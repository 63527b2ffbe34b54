import { bodyRows } from './bodies.js';
import { browserSdkRows } from './browser-sdks.js';
import { cellRows } from './cells.js';
import { erasureRows } from './erasure.js';
import { experimentRows } from './experiments.js';
import { largeFeedRows } from './feeds.js';
import { followersRows } from './followers.js';
import { keyRows } from './keys.js';
import { ledgerRows } from './ledger.js';
import { liveRows } from './live.js';
import { mainRows } from './main-job.js';
import { managementRows } from './management.js';
import { manyKeysRows } from './many-keys.js';
import type { Child } from './measure.js';
import { withMemory } from './memory-rows.js';
import { peopleRows } from './people.js';
import type { ProductStack } from './product-stack.js';
import { promptnessRows } from './promptness.js';
import { publisherRows } from './publisher.js';
import { recommendationRows } from './recommendations.js';
import type { Row } from './report.js';
import { reportRows } from './reports.js';
import type { Durations } from './scenarios.js';
import { soakRows } from './soak.js';
import { storefrontRows } from './storefront.js';
import { storedEventsRows } from './stored-events.js';
import { tracesRows } from './traces.js';
import { workflowRows } from './workflows.js';

/** What an area is measured with. */
export interface BenchContext {
  readonly stack: ProductStack;
  /** The floor of requests: a bare server. */
  readonly echo: Child;
  readonly durations: Durations;
  readonly isQuick: boolean;
  /** The number that the option was given, or its default. */
  readonly count: number;
}

/** A part of the product that `npm run bench -- --<name>` measures. */
export interface Area {
  readonly title: string;
  /** The option takes a number: the default, or `needed`. */
  readonly count?: number | 'needed';
  /** Measured on the running product. */
  readonly rows?: (context: BenchContext) => Promise<readonly Row[]>;
  /** Measured without it, or on products of its own. */
  readonly alone?: (isQuick: boolean, count: number) => readonly Row[] | Promise<readonly Row[]>;
}

/** By the name of the option, in the order in which several are measured. */
export const AREAS: Readonly<Record<string, Area>> = {
  events: { title: 'the main job', rows: ({ stack, echo, durations }) => mainRows(stack, echo, durations) },
  followers: { title: 'storing while reports follow', rows: ({ stack }) => followersRows(stack) },
  ledger: {
    title: 'the attribution ledger',
    rows: ({ stack, durations }) =>
      withMemory(stack, { when: 'while orders come' }, () => ledgerRows(stack, durations)),
  },
  management: {
    title: 'management',
    rows: async ({ stack, durations }) => [
      ...(await withMemory(
        stack,
        { of: ['gateway', 'management'], when: 'while products come and are read' },
        async () => [
          ...(await managementRows(stack, durations)),
          ...(await storefrontRows(stack, durations)),
        ],
      )),
      ...(await promptnessRows(stack)),
      ...(await manyKeysRows(stack)),
    ],
  },
  workflows: {
    title: 'workflows and product feeds',
    rows: ({ stack, durations }) =>
      withMemory(
        stack,
        { of: ['outbound', 'management'], when: 'while webhooks are sent and a feed is read' },
        () => workflowRows(stack, durations),
      ),
  },
  feed: {
    title: 'a product feed',
    count: 'needed',
    rows: ({ stack, count }) =>
      withMemory(stack, { of: ['outbound', 'management'], when: 'while the feed is read' }, () =>
        largeFeedRows(stack, count),
      ),
  },
  people: { title: 'people', rows: ({ stack }) => peopleRows(stack) },
  experiments: {
    title: 'partner experiments',
    rows: ({ stack, durations, isQuick }) =>
      withMemory(
        stack,
        { of: ['gateway', 'experiments'], when: 'while sessions are assigned and facts folded' },
        () => experimentRows(stack, durations, isQuick),
      ),
  },
  publisher: {
    title: 'publisher mode',
    count: 2_000_000,
    rows: ({ stack, durations, count }) =>
      withMemory(
        stack,
        { of: ['gateway', 'publisher-analytics'], when: 'while clicks and settlements come' },
        () => publisherRows(stack, durations, count),
      ),
  },
  recommendations: {
    title: 'recommendations',
    rows: ({ stack, durations }) =>
      withMemory(
        stack,
        { of: ['gateway', 'analytics'], when: 'while orders come and products are recommended' },
        () => recommendationRows(stack, durations),
      ),
  },
  erasure: {
    title: 'the erasure of a site',
    count: 'needed',
    rows: ({ stack, count }) => erasureRows(stack, count),
  },
  stored: {
    title: 'many stored events',
    count: 'needed',
    rows: ({ stack, durations, count }) => storedEventsRows(stack, durations, count),
  },
  keys: {
    title: 'keys of a month, by where they are kept',
    count: 'needed',
    alone: (_, count) => keyRows(count),
  },
  live: { title: 'live streams', rows: ({ stack }) => liveRows(stack) },
  soak: { title: 'a steady load', count: 'needed', rows: ({ stack, count }) => soakRows(stack, count) },
  reports: { title: 'reports by both stores', count: 50_000_000, alone: (_, count) => reportRows(count) },
  cells: { title: 'two cells', alone: cellRows },
  traces: { title: 'traces', alone: tracesRows },
  bodies: { title: 'reading bodies', alone: bodyRows },
  sdks: { title: 'the browser SDK beside others', alone: browserSdkRows },
};
