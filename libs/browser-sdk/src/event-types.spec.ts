import { describe, expect, it } from '@jest/globals';
import {
  checkProperties,
  EVENT_TYPES,
  type EventType as ServiceEventType,
} from '@truetally/contracts/events';
import type { EventType, RequiredProperties } from './event-types.js';
import { inertClient } from './inert-client.js';

const overlay = { overlay_id: 'overlay', campaign_id: 'campaign' };
const quiz = { ...overlay, quiz_id: 'quiz' };
const recommendation = { recommendation_id: 'recommendation', campaign_id: 'campaign' };
const product = { product_id: 'product' };

/** What the types demand, and nothing more. */
const LEAST: { readonly [Type in EventType]: RequiredProperties[Type] } = {
  page_view: {},
  product_view: product,
  add_to_cart: product,
  remove_from_cart: product,
  purchase: { order_id: 'order', total: 1 },
  search: { query: 'shoes' },
  custom: { event_name: 'name' },
  chatbot_message: { message: 'hello' },
  recommendation_impression: recommendation,
  recommendation_click: { ...recommendation, ...product },
  overlay_impression: overlay,
  overlay_click: overlay,
  overlay_dismiss: overlay,
  overlay_submit: overlay,
  quiz_start: quiz,
  quiz_answer: { ...quiz, question_id: 'question', answer_id: 'answer' },
  quiz_complete: { ...quiz, result_id: 'result' },
  partner_link_click: {
    provider: 'awin',
    click_reference: 'reference',
    destination_url: 'https://shop.example/',
  },
};

describe("the SDK's types of events", () => {
  it('an event without required properties is tracked without any', () => {
    const { track } = inertClient;
    expect([track('page_view'), track('product_view', { product_id: 'SKU-1' })]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('the types are those of the service', () => {
    const types: readonly (EventType & ServiceEventType)[] = EVENT_TYPES;
    expect(Object.keys(LEAST)).toEqual(types);
  });

  it.each(EVENT_TYPES)('%s demands what the service demands, and nothing more', (type) => {
    const least: object = LEAST[type];
    expect(checkProperties(type, { ...least })).toEqual([]);
    for (const name of Object.keys(least)) {
      const without = Object.fromEntries(Object.entries(least).filter(([other]) => other !== name));
      expect([name, checkProperties(type, without).length > 0]).toEqual([name, true]);
    }
  });
});
