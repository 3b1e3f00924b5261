/** Whether the service of this container answers: exit code 0 if it does. Nothing secret is asked or sent, so its certificate is not looked at. */
import { get } from 'node:https';

const url = `https://127.0.0.1:${process.argv[2]}/healthz`;
get(url, { rejectUnauthorized: false, timeout: 4000 }, ({ statusCode }) =>
  process.exit(statusCode === 200 ? 0 : 1),
)
  .on('timeout', () => process.exit(1))
  .on('error', () => process.exit(1));
