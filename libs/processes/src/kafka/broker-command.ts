/** How to run a broker in the foreground. */
export interface BrokerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Removes what an earlier run left behind. */
  readonly clear: () => Promise<void>;
}
