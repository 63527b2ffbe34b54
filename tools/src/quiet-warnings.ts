/**
 * The unmodified Kafka driver, which probes a starting broker, sometimes passes a negative timeout to Node.
 * This is harmless, but Node 24 warns about it. Every other warning is still printed.
 */
export function silenceDriverWarning(): void {
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name !== 'TimeoutNegativeWarning') console.error(warning.stack);
  });
}
