import { JobStep, JobStepReport } from '../jobs/job-step.js';
import { SitePageQuery } from '../resource/site-page.js';
import { askedBy, command, hotCommand, one, ownTopic, pageOf, query } from '../services/operation.js';
import type { ServiceEntry } from '../services/service-entry.js';
import { ATTRIBUTION_DAYS, KEPT_FOR_EVER, keptFor } from '../services/topic-spec.js';
import { AskChain, ChainResource } from './chain-resource.js';
import { CommissionRuleResource, CreateCommissionRule, CreatedCommissionRule } from './commission-rule.js';
import type { ConversionAccepted, RecordConversion } from './conversion-command.js';
import { AskOrders, ListedOrder } from './listed-order.js';
import { OrderResource, ReadOrder } from './order-resource.js';
import { CONVERSION_ACCEPTED, encodeRecordConversion } from './record-conversion.js';
import { readTouchVerdicts } from './record-touches.js';
import { AskSealedRecords, SealedRecord } from './sealed-record.js';
import { type RecordTouches, TouchResource, type TouchVerdict } from './touch-command.js';

const FACTS = keptFor(ATTRIBUTION_DAYS);

/** Records touches and conversions, and each partner's commission. */
export const ATTRIBUTION_LEDGER = {
  name: 'attribution-ledger',
  role: 'behind',
  operations: {
    ...askedBy(['gateway'], {
      recordTouches: ownTopic(
        3,
        hotCommand<RecordTouches, readonly TouchVerdict[]>({
          key: ({ site_id, touches }) => `${site_id}:${touches[0]?.touch_id ?? ''}`,
          weight: ({ touches }) => touches.length,
          encode: JSON.stringify,
          answerReader: ({ touches }) => {
            const ids = touches.map(({ touch_id }) => touch_id);
            return (ok) => readTouchVerdicts(ok, ids);
          },
        }),
      ),
      recordConversion: ownTopic(
        6,
        hotCommand<RecordConversion, ConversionAccepted>({
          // Requests of one order go to one partition, in sequence.
          key: ({ siteId, command: { orderId } }) => `${siteId}:${orderId}`,
          encode: encodeRecordConversion,
          answerReader: () => CONVERSION_ACCEPTED.read,
        }),
      ),
      readOrder: ownTopic(
        3,
        query({
          asks: ReadOrder,
          answers: one(OrderResource),
          key: ({ site_id, order_id }) => `${site_id}:${order_id}`,
        }),
      ),
      createCommissionRule: command({
        asks: CreateCommissionRule,
        answers: one(CreatedCommissionRule, 'complete'),
        key: ({ website_id }) => website_id,
      }),
      listOrders: query({
        asks: AskOrders,
        answers: pageOf(ListedOrder),
        key: ({ site_id }) => site_id,
      }),
      listSealedRecords: query({
        asks: AskSealedRecords,
        answers: pageOf(SealedRecord),
        key: ({ site_id }) => site_id,
      }),
      readChain: query({ asks: AskChain, answers: one(ChainResource), key: ({ site_id }) => site_id }),
      listTouches: query({
        asks: SitePageQuery,
        answers: pageOf(TouchResource),
        key: ({ site_id }) => site_id,
      }),
      listCommissionRules: query({
        asks: SitePageQuery,
        answers: pageOf(CommissionRuleResource),
        key: ({ site_id }) => site_id,
      }),
    }),
    ...askedBy(['management'], {
      runVerificationStep: ownTopic(
        3,
        query({ asks: JobStep, answers: one(JobStepReport, 'complete'), key: ({ job_id }) => job_id }),
      ),
    }),
  },
  facts: {
    touchesRecorded: { name: 'touches.recorded.v1', partitions: 3, config: FACTS },
    conversionsRecorded: { name: 'conversions.recorded.v1', partitions: 6, config: FACTS },
    // A seal covers all earlier records, and is nothing but a hash.
    ledgerSealed: { name: 'ledger.sealed.v1', partitions: 1, config: KEPT_FOR_EVER },
  },
  follows: ['sites', 'touchesRecorded', 'conversionsRecorded'],
  holds: ['sitesErased'],
  isAskedToEraseSites: true,
  knowsPeopleBy: 'subjects',
  hasOutbox: true,
  localOperationsPort: 4184,
} as const satisfies ServiceEntry;
