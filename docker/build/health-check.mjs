// Exits with 0 when the process of this container is ready. An image without a shell has no curl.
const port = process.env.OPERATIONS_PORT;
const response = await fetch(`http://127.0.0.1:${port}/health/ready`, {
  signal: AbortSignal.timeout(3_000),
}).catch(() => undefined);
process.exit(response?.status === 200 ? 0 : 1);
