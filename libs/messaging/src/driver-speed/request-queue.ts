/** As much of the driver's queue of requests to one broker as matters here. */
export interface RequestQueue {
  /** What waits because too much is under way, or because the broker asked for a pause. */
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests(): void;
}

export type RequestQueueClass = abstract new (...options: never[]) => RequestQueue;

/**
 * The driver looks after waiting requests again and again, a millisecond apart, on every connection and for ever, also
 * where nothing waits. This lets its queue schedule that only while something does: whatever joins the queue schedules
 * it, and every answer looks at the queue itself.
 */
export function restful<C extends RequestQueueClass>(queue: C): C {
  const prototype = queue.prototype as RequestQueue;
  const schedule = prototype.scheduleCheckPendingRequests;
  prototype.scheduleCheckPendingRequests = function (this: RequestQueue): void {
    if (this.pending.length > 0) schedule.call(this);
  };
  return queue;
}
