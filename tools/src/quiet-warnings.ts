/**
 * The Kafka driver as it comes, which asks a starting broker whether it serves, hands Node a negative timeout now and
 * then, harmlessly, and Node 24 warns of it. Every other warning is still printed.
 */
export function silenceDriverWarning(): void {
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name !== 'TimeoutNegativeWarning') console.error(warning.stack);
  });
}
