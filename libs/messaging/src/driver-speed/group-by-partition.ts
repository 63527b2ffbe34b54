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

/** Messages by partition, in order. The driver's own version copies a partition's list for each message. */
export function groupByPartition<M, P>(grouping: Grouping<M, P>): Record<number, M[]> {
  const { topic, partitionMetadata, messages, partitioner } = grouping;
  const groups: Record<number, M[]> = {};
  if (partitionMetadata.length === 0) return groups;
  for (const message of messages) {
    (groups[partitioner({ topic, partitionMetadata, message })] ??= []).push(message);
  }
  return groups;
}
