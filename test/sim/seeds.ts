/** Seeds that once failed, with what they found: they run in every test run. */
export const KNOWN_SEEDS: readonly { readonly seed: number; readonly found: string }[] = [];
