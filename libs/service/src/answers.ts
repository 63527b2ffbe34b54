import { Controller, type Type } from '@nestjs/common';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type HandledOperation, type Handler, Handles } from '@truetally/messaging';

type Operations = typeof OPERATIONS;

/**
 * The functions that answer a service's operations, by the keys of their declarations. A message that its class refuses is a
 * dead letter, and its function never sees it.
 */
export type Answers = {
  readonly [Key in keyof Operations]?: Operations[Key] extends HandledOperation<infer Message>
    ? Handler<Message>
    : never;
};

/** A controller for Nest with a method for each of them. */
export function consumerOf(answers: Answers): Type {
  @Controller()
  class Consumer {}
  const operations: Readonly<Record<string, object>> = OPERATIONS;
  for (const [key, value] of Object.entries(answers)) {
    const descriptor = { value: value as Handler<unknown> };
    Handles(operations[key] as HandledOperation<unknown>)(Consumer.prototype as object, key, descriptor);
    Object.defineProperty(Consumer.prototype, key, descriptor);
  }
  return Consumer;
}
