/** What is under way: how many deliveries, and how long their bodies are together. */
export interface Places {
  readonly count: number;
  readonly length: number;
}

const NOTHING: Places = { count: 0, length: 0 };

/**
 * What each owner has of the places of a process: at most half of what the others leave. Of many owners who want all of them each gets
 * the same share, and one more share is always free for whoever comes: one whose endpoints hang delays nobody else.
 */
export class Shares {
  private readonly held = new Map<string, Places>();
  private all = NOTHING;

  /** @param mostLength of one body */
  constructor(
    private readonly most: Places,
    private readonly mostLength: number,
  ) {}

  /** For how many deliveries there is room, each as large as one may be. */
  get room(): number {
    return roomOf(this.most, this.all, this.mostLength);
  }

  /** The same of what an owner may have; for a first one there is room wherever there is any. */
  roomOf(owner: string): number {
    const own = this.held.get(owner) ?? NOTHING;
    const share = {
      count: (this.most.count - this.all.count + own.count) / 2,
      length: (this.most.length - this.all.length + own.length) / 2,
    };
    return Math.max(roomOf(share, own, this.mostLength), own.count === 0 ? 1 : 0);
  }

  /** Owners who have what they may. */
  full(): readonly string[] {
    return [...this.held.keys()].filter((owner) => this.roomOf(owner) === 0);
  }

  /** Whether an owner has room for one more, beside those for which it was asked before. */
  admission(): (owner: string) => boolean {
    const left = new Map<string, number>();
    return (owner) => {
      const room = left.get(owner) ?? this.roomOf(owner);
      left.set(owner, room - 1);
      return room > 0;
    };
  }

  take(owner: string, length: number): void {
    this.change(owner, { count: 1, length });
  }

  giveBack(owner: string, length: number): void {
    this.change(owner, { count: -1, length: -length });
  }

  private change(owner: string, by: Places): void {
    const own = sumOf(this.held.get(owner) ?? NOTHING, by);
    if (own.count === 0) this.held.delete(owner);
    else this.held.set(owner, own);
    this.all = sumOf(this.all, by);
  }
}

function roomOf(most: Places, held: Places, mostLength: number): number {
  const byLength = Math.floor((most.length - held.length) / mostLength);
  return Math.max(0, Math.min(Math.floor(most.count - held.count), byLength));
}

function sumOf(one: Places, other: Places): Places {
  return { count: one.count + other.count, length: one.length + other.length };
}
