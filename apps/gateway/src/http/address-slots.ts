/** A bounded number of slots: a client address may hold only a share of them. */
export class AddressSlots {
  private taken = 0;
  private readonly shares = new Map<string, number>();

  constructor(
    private readonly inAll: number,
    private readonly perAddress: number,
  ) {}

  /** False when there is none for this address. A taken slot must be given back. */
  take(address: string): boolean {
    const share = this.shares.get(address) ?? 0;
    if (this.taken >= this.inAll || share >= this.perAddress) return false;
    this.taken += 1;
    this.shares.set(address, share + 1);
    return true;
  }

  giveBack(address: string): void {
    this.taken -= 1;
    const share = (this.shares.get(address) ?? 0) - 1;
    if (share > 0) this.shares.set(address, share);
    else this.shares.delete(address);
  }
}
