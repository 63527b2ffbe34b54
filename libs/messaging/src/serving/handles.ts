import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { type Reply, type Result } from '@truetally/kernel';
import { UnreadableError } from '../errors.js';
import { type AskContext } from './handlers.js';

/** What a handler needs to know of an operation. */
export interface HandledOperation<Message> {
  readonly address: string;
  /** Reads a parsed message; never throws. */
  read(received: unknown): Result<Message, string>;
}

/** Handles one request: its message, read by the operation's class, and where it came from. */
export type Handler<Message> = (
  message: Message,
  context: AskContext,
) => Promise<Reply<unknown> | string> | Reply<unknown>;

/** The method answers the operation. A message that its class refuses is a dead letter, and the method never sees it. */
export function Handles<Message>(operation: HandledOperation<Message>) {
  return <Method extends Handler<Message>>(
    target: object,
    name: string,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void => {
    const handle = descriptor.value as Handler<Message>;
    const reading: Handler<unknown> = function (this: unknown, received, context) {
      const message = operation.read(received);
      if (!message.ok) throw new UnreadableError(`Not a message of ${operation.address}: ${message.error}`);
      return handle.call(this, message.value, context);
    };
    descriptor.value = reading as Method;
    MessagePattern(operation.address)(target, name, descriptor);
    Payload()(target, name, 0);
    Ctx()(target, name, 1);
  };
}
