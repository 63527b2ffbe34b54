import {
  type AssignedSessionFact,
  type CampaignRecord,
  type ChangedSettlementFact,
  type ErasedSiteFact,
  type ExperimentRecord,
  ASSIGNED_SESSION_FACT,
  CAMPAIGN_RECORD,
  CHANGED_SETTLEMENT_FACT,
  ERASED_SITE,
  EXPERIMENT_RECORD,
  RECORDED_CONVERSION_FACT,
  RECORDED_TOUCH_FACT,
  SEALED_LEDGER_FACT,
  SITE_RECORD,
  STORED_EVENT_FACT,
  type PublishedEvent,
  type RecordedConversionFact,
  type RecordedTouchFact,
  type SealedLedgerFact,
  type SiteRecord,
} from '@truetally/contracts/facts';
import type { Result } from '@truetally/kernel';

/** What each kind of fact is, by the name under which a worker handles it. States are null when they are gone. */
export interface Facts {
  /** Every stored event, once per `event_id`. */
  readonly eventsStored: PublishedEvent;
  /** The same for clicks on partners' links only. */
  readonly clicksStored: PublishedEvent;
  /** Every recorded partner touch, once per `id`. */
  readonly touchesRecorded: RecordedTouchFact;
  /** Every record of the ledger, once per `record_id`, in order per order. */
  readonly conversionsRecorded: RecordedConversionFact;
  /** The head of a site's chain of records. */
  readonly ledgerSealed: SealedLedgerFact;
  /** The current state of a settlement. */
  readonly settlementsChanged: ChangedSettlementFact | null;
  /** Every assignment of a session to an arm of an experiment, once per `assignment_id`. */
  readonly sessionsAssigned: AssignedSessionFact;
  /** The current settings of a site. */
  readonly sites: SiteRecord | null;
  /** A site was deleted: erase what you keep of it. */
  readonly sitesErased: ErasedSiteFact;
  /** The current state of a campaign. */
  readonly campaigns: CampaignRecord | null;
  /** The current state of a partner experiment. */
  readonly experiments: ExperimentRecord | null;
}

/** One of the kinds of facts. */
export type FactName = keyof Facts;

/** A topic, how its values are read, and what makes a fact the same one when it is delivered again. */
interface Topic<Fact> {
  readonly topic: string;
  readonly parse: (text: string) => Result<NonNullable<Fact>, string>;
  /** Of a state there is none: its key and its value identify it. */
  readonly idOf?: (fact: NonNullable<Fact>) => string;
  /** A null value says that it is gone; on other topics it is a fault. */
  readonly mayBeGone?: true;
}

/** By the name of the kind. */
export const PUBLIC_TOPICS: { readonly [Name in FactName]: Topic<Facts[Name]> } = {
  eventsStored: { topic: 'events.stored.v1', parse: STORED_EVENT_FACT.parse, idOf: (fact) => fact.event_id },
  clicksStored: { topic: 'clicks.stored.v1', parse: STORED_EVENT_FACT.parse, idOf: (fact) => fact.event_id },
  touchesRecorded: {
    topic: 'touches.recorded.v1',
    parse: RECORDED_TOUCH_FACT.parse,
    idOf: (fact) => fact.id,
  },
  conversionsRecorded: {
    topic: 'conversions.recorded.v1',
    parse: RECORDED_CONVERSION_FACT.parse,
    idOf: (fact) => fact.record_id,
  },
  ledgerSealed: {
    topic: 'ledger.sealed.v1',
    parse: SEALED_LEDGER_FACT.parse,
    idOf: (fact) => `${fact.site_id}:${fact.sequence}`,
  },
  settlementsChanged: {
    topic: 'settlements.changed.v1',
    parse: CHANGED_SETTLEMENT_FACT.parse,
    mayBeGone: true,
  },
  sessionsAssigned: {
    topic: 'sessions.assigned.v1',
    parse: ASSIGNED_SESSION_FACT.parse,
    idOf: (fact) => fact.assignment_id,
  },
  sites: { topic: 'sites.v1', parse: SITE_RECORD.parse, mayBeGone: true },
  sitesErased: { topic: 'sites.erased.v1', parse: ERASED_SITE.parse, idOf: (fact) => fact.site_id },
  campaigns: { topic: 'campaigns.v1', parse: CAMPAIGN_RECORD.parse, mayBeGone: true },
  experiments: { topic: 'experiments.v1', parse: EXPERIMENT_RECORD.parse, mayBeGone: true },
};

/** Names of all kinds. */
export const FACT_NAMES = Object.keys(PUBLIC_TOPICS) as readonly FactName[];
