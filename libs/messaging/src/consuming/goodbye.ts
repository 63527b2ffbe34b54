import { type Broker, type Cluster, type PartitionAssigner } from 'kafkajs';
import { kafkajs } from '../driver-speed/kafkajs.js';
import { protocolErrorType } from '../errors.js';

interface Membership {
  readonly groupId: string;
  readonly memberId: string;
  /** Whether it has assigned the partitions, which only the leader does. */
  readonly isLeader: boolean;
}

/**
 * Leaves a group on behalf of a consumer that crashed. After a broker's restart the group still contains the
 * crashed consumer's member, and no member gets partitions until its session times out.
 */
export class Goodbye {
  private connected: Cluster | undefined;
  private left: Membership | undefined;
  private memberCount = 0;

  /** The driver exposes its connection, and the group's members, only to the assigner, which is otherwise its round robin. */
  readonly assigner: PartitionAssigner = (config) => {
    this.connected = config.cluster;
    const roundRobin = kafkajs.PartitionAssigners.roundRobin(config);
    return {
      ...roundRobin,
      assign: (group) => {
        this.memberCount = group.members.length;
        return roundRobin.assign(group);
      },
    };
  };

  /** What the newest consumer is connected with. */
  get cluster(): Cluster | undefined {
    return this.connected;
  }

  /** Nobody else was in the group when it last changed. */
  get isOnlyMember(): boolean {
    return this.left?.isLeader === true && this.memberCount === 1;
  }

  /** The membership to end before the next consumer joins. */
  remember(membership: Membership): void {
    this.left = membership;
  }

  /**
   * The next consumer calls it after connecting, before joining. Fails while the coordinator is unavailable.
   */
  async say(): Promise<void> {
    if (this.left === undefined || this.cluster === undefined) return;
    const coordinator = await this.cluster.findGroupCoordinator({ groupId: this.left.groupId });
    try {
      const { groupId, memberId } = this.left;
      if (canLeave(coordinator)) await coordinator.leaveGroup({ groupId, memberId });
    } catch (error) {
      // It has already left, or its session has expired.
      if (protocolErrorType(error) !== 'UNKNOWN_MEMBER_ID') throw error;
    }
    this.left = undefined;
  }
}

interface Leavable {
  leaveGroup(membership: Pick<Membership, 'groupId' | 'memberId'>): Promise<unknown>;
}

/** The driver has this request, but not in its types. */
function canLeave(broker: Broker): broker is Broker & Leavable {
  return 'leaveGroup' in broker && typeof broker.leaveGroup === 'function';
}
