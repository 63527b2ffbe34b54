import { type Broker, type Cluster, type PartitionAssigner } from 'kafkajs';
import { kafkajs } from '../driver-speed/kafkajs.js';
import { protocolErrorType } from '../errors.js';

interface Membership {
  readonly groupId: string;
  readonly memberId: string;
}

/**
 * Leaves a group in the name of a consumer that could not do it itself. After a broker's restart the group still
 * has the member of the consumer that crashed with it, and nobody gets partitions until that one's session ends.
 */
export class Goodbye {
  private cluster: Cluster | undefined;
  private left: Membership | undefined;

  /** The driver shows its connection to nobody but the assigner; otherwise this is its round robin. */
  readonly assigner: PartitionAssigner = (config) => {
    this.cluster = config.cluster;
    return kafkajs.PartitionAssigners.roundRobin(config);
  };

  /** The membership that is to be ended before the next consumer joins. */
  remember(membership: Membership): void {
    this.left = membership;
  }

  /** To be called by the next consumer, connected and not joined yet. Fails while the coordinator is not there. */
  async say(): Promise<void> {
    if (this.left === undefined || this.cluster === undefined) return;
    const coordinator = await this.cluster.findGroupCoordinator({ groupId: this.left.groupId });
    try {
      if (canLeave(coordinator)) await coordinator.leaveGroup(this.left);
    } catch (error) {
      // It had left by itself, or its session has ended.
      if (protocolErrorType(error) !== 'UNKNOWN_MEMBER_ID') throw error;
    }
    this.left = undefined;
  }
}

interface Leavable {
  leaveGroup(membership: Membership): Promise<unknown>;
}

/** The driver has the request, and forgot it in its types. */
function canLeave(broker: Broker): broker is Broker & Leavable {
  return 'leaveGroup' in broker && typeof broker.leaveGroup === 'function';
}
