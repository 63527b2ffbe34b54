import { ReconciledHour, ReconcileEvents } from '../operations/reconcile-events.js';
import { askedBy, hotCommand, one, ownTopic, pageOf, query } from '../services/operation.js';
import type { ServiceEntry } from '../services/service-entry.js';
import { keptFor } from '../services/topic-spec.js';
import { IntakeCounts, ReadIntake } from './intake.js';
import { EventResource, ReadEvents } from './read-events.js';
import { FoundTrail, ReadTrail } from './trail.js';
import { parseTrackEventReply, type StoredVerdict } from './track-event-reply.js';
import { type EncodedEvent, encodeTrackEvent, type TrackEventRequest } from './track-event-request.js';

/** Stores each event exactly once. */
export const INGESTION = {
  name: 'ingestion',
  role: 'behind',
  operations: askedBy(['gateway'], {
    trackEvent: ownTopic(
      6,
      hotCommand<TrackEventRequest<EncodedEvent>, readonly StoredVerdict[]>({
        // Their order does not matter.
        key: () => null,
        // A count of refused events alone weighs as much as one event, and each that the trail shows as another.
        weight: ({ events, refusals }) => Math.max(1, events.length + refusals.items.length),
        encode: encodeTrackEvent,
        answerReader: ({ events }) => {
          const { length } = events;
          return (ok) => parseTrackEventReply(ok, length);
        },
      }),
    ),
    readEvents: query({ asks: ReadEvents, answers: pageOf(EventResource) }),
    readTrail: query({ asks: ReadTrail, answers: one(FoundTrail) }),
    readIntake: query({ asks: ReadIntake, answers: one(IntakeCounts) }),
    reconcileEvents: query({ asks: ReconcileEvents, answers: pageOf(ReconciledHour) }),
  }),
  facts: {
    eventsStored: { name: 'events.stored.v1', partitions: 6, config: keptFor(7) },
    // The same facts, clicks only: consumers of clicks need not read every event.
    clicksStored: { name: 'clicks.stored.v1', partitions: 6, config: keptFor(7) },
  },
  follows: [],
  holds: ['sitesErased'],
  isAskedToEraseSites: true,
  knowsPeopleBy: 'ids',
  hasOutbox: false,
  localOperationsPort: 4182,
} as const satisfies ServiceEntry;
