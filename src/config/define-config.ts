/** Gives a configuration module its types. Loads nothing: handler threads import it too. */
import type { Configuration } from './schema.ts';

type MakeConfiguration = () => Configuration | Promise<Configuration>;

/** Returns its argument, or a function that makes it, unchanged. */
export function defineConfig(configuration: Configuration): Configuration;
export function defineConfig(make: MakeConfiguration): MakeConfiguration;
export function defineConfig(
  given: Configuration | MakeConfiguration,
): Configuration | MakeConfiguration {
  return given;
}
