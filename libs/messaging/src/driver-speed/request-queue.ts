/** The relevant part of the driver's request queue to one broker. */
export interface RequestQueue {
  /** Requests that wait because too many are in flight, or because the broker throttles. */
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests(): void;
}

export type RequestQueueClass = abstract new (...options: never[]) => RequestQueue;

/**
 * The driver polls for waiting requests every millisecond, on every connection and for ever, even where none
 * wait. This patch lets its queue poll only while there are some: each request that joins the queue starts
 * polling, and each response checks the queue itself.
 */
export function idleWithoutRequests<C extends RequestQueueClass>(queue: C): C {
  const prototype = queue.prototype as RequestQueue;
  const schedule = prototype.scheduleCheckPendingRequests;
  prototype.scheduleCheckPendingRequests = function (this: RequestQueue): void {
    if (this.pending.length > 0) schedule.call(this);
  };
  return queue;
}
