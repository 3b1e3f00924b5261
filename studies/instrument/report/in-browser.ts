/** The browser that reports and pages are tried in: Debian's Chromium, or the one at CHROMIUM_PATH. */
import { existsSync } from 'node:fs';

const path = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

/** Where it must be there, as in CI, a missing browser fails the tests instead of skipping them. */
const required = process.env.EIGENVEIL_BROWSER_REQUIRED === '1';

export const browserMissing = !existsSync(path) && !required;

if (browserMissing)
  console.warn(
    `Nothing was tried in a browser, for there is none at ${path}: install Chromium (Debian: apt-get install chromium) or set CHROMIUM_PATH.`,
  );

export const launchOptions = {
  executablePath: path,
  /** Milliseconds; pages have as long for what they are asked to do: a machine may be slow, and a test that is tagged long has 300 s. */
  timeout: 120_000,
  args: [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
};
