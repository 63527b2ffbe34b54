/** How to run a broker in the foreground. */
export interface BrokerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Takes away what an earlier run has left and what would be in the way. */
  readonly clear: () => Promise<void>;
}
