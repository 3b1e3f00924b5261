/** Style sheets are bundled, and export nothing. */
declare module '*.css';

/** The parts of Trusted Types that the pages use: the types of the platform do not have them yet. */
interface TrustedTypePolicyOptions {
  createHTML?(text: string): string | null;
  createScriptURL?(url: string): string | null;
}
interface TrustedTypePolicy {
  createScriptURL(url: string): string;
}
declare var trustedTypes:
  | { createPolicy(name: string, options: TrustedTypePolicyOptions): TrustedTypePolicy }
  | undefined;
