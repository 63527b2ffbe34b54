interface Grouping<M, P> {
  readonly topic: string;
  readonly partitionMetadata: readonly P[];
  readonly messages: readonly M[];
  readonly partitioner: (choice: {
    readonly topic: string;
    readonly partitionMetadata: readonly P[];
    readonly message: M;
  }) => number;
}

/**
 * Messages by partition, in order. The driver's own version copies a partition's list for each message, and puts those
 * without a key on partitions of their own: here all of one send share one, because each partition of a send costs its
 * broker and its reader more than a message.
 */
export function groupByPartition<M extends { readonly key?: unknown }, P>(
  grouping: Grouping<M, P>,
): Record<number, M[]> {
  const { topic, partitionMetadata, messages, partitioner } = grouping;
  const groups: Record<number, M[]> = {};
  const { length: count } = partitionMetadata;
  if (count === 0) return groups;
  const shared = Math.floor(Math.random() * count);
  for (const message of messages) {
    const partition = message.key === null ? shared : partitioner({ topic, partitionMetadata, message });
    (groups[partition] ??= []).push(message);
  }
  return groups;
}
