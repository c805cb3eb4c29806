#!/usr/bin/env node
/**
 * The command line: reads arguments, calls one command, turns what it throws into text on stderr and
 * an exit code. Main thread. What a command needs is loaded when it runs, so that help is instant.
 */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { LoadOptions } from './config/load.ts';
import { packageVersion } from './commands/version.ts';
import { ExitCode, TidemarkError } from './contract/errors.ts';
import type { ExitCodeValue } from './contract/errors.ts';
import { InvariantError } from './contract/invariant.ts';

interface ConfigFlags {
  readonly config?: string;
  readonly set: readonly string[];
  readonly logLevel?: string;
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];
const version = packageVersion();
let exitCode: number = ExitCode.ok;

/** `--log-level` is the last word, as the more special of the two flags. */
function loadOptions({ config, set, logLevel }: ConfigFlags): LoadOptions {
  return {
    ...(config === undefined ? {} : { file: config }),
    set: logLevel === undefined ? set : [...set, `log.level=${logLevel}`],
  };
}

function positive(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number) || number <= 0)
    throw new InvalidArgumentError('It must be a number greater than 0.');
  return number;
}

function wholePositive(text: string): number {
  const number = positive(text);
  if (!Number.isSafeInteger(number)) throw new InvalidArgumentError('It must be a whole number.');
  return number;
}

function withConfigFlags(command: Command): Command {
  return command
    .option('-c, --config <file>', 'configuration file (default: tidemark.config.* here)')
    .option(
      '--set <key=value>',
      'set one key, for example workers.threads=4; repeatable',
      (flag: string, flags: readonly string[]) => [...flags, flag],
      [],
    )
    .addOption(
      new Option('--log-level <level>', 'least severity that is logged').choices(LOG_LEVELS),
    )
    .version(version, '-V, --version', 'print the version');
}

function build(): Command {
  const program = new Command('tidemark')
    .description('Runs a handler module over Kafka records on worker threads.')
    .version(version, '-V, --version', 'print the version')
    .exitOverride()
    .showHelpAfterError('Try: tidemark --help');
  withConfigFlags(program.command('run').description('consume until told to stop')).action(
    async (flags: ConfigFlags) => {
      const { loadConfiguration } = await import('./config/load.ts');
      const { settings } = await loadConfiguration(loadOptions(flags));
      const { run } = await import('./launch.ts');
      exitCode = await run(settings, { version });
    },
  );
  withConfigFlags(program.command('check').description('check the configuration and the handler'))
    .option('--broker', 'also connect to Kafka (not supported yet)')
    .action(async ({ broker, ...flags }: ConfigFlags & { broker?: boolean }) => {
      const { check } = await import('./commands/check.ts');
      exitCode = await check({ ...loadOptions(flags), broker: broker === true });
    });
  withConfigFlags(
    program.command('config').description('print the merged configuration, secrets masked'),
  )
    .option('--json', 'as JSON instead of YAML')
    .action(async ({ json, ...flags }: ConfigFlags & { json?: boolean }) => {
      const { printConfig } = await import('./commands/config.ts');
      exitCode = await printConfig({ ...loadOptions(flags), json: json === true });
    });
  program
    .command('schema')
    .description('print the JSON Schema of the configuration file')
    .action(async () => {
      const { printSchema } = await import('./commands/schema.ts');
      exitCode = await printSchema();
    });
  program
    .command('quickstart')
    .description('see it work: embedded broker, sample orders, sample handler')
    .option('--seconds <n>', 'end after that many seconds, with a summary', positive)
    .option('--records <n>', 'end after that many records, with a summary', wholePositive)
    .action(async (options: { seconds?: number; records?: number }) => {
      const { quickstart } = await import('./commands/quickstart.ts');
      const { start } = await import('./launch.ts');
      exitCode = await quickstart(options, (settings) => start(settings, { version }));
    });
  return program;
}

/** Tells the error on stderr: text for people; a stack only where it is nobody's but our own fault. */
function report(error: unknown): ExitCodeValue {
  if (error instanceof CommanderError) {
    // Commander has printed what there is to say; 0 is for --help and --version.
    const asked = error.exitCode === 0;
    return asked ? ExitCode.ok : ExitCode.usage;
  }
  if (error instanceof TidemarkError) {
    process.stderr.write(`tidemark: ${error.code}: ${error.message}\n`);
    return error.exitCode;
  }
  const told = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`tidemark: unexpected error: ${told}\n`);
  return error instanceof InvariantError ? ExitCode.cannotGoOn : ExitCode.unexpected;
}

// A reader that went away, as in `tidemark config | head`, is no reason to crash.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });

try {
  await build().parseAsync();
} catch (error) {
  exitCode = report(error);
}
// Where pipes are written asynchronously, what was printed must get out first.
if (process.stdout.writableLength > 0)
  await new Promise<void>((resolve) =>
    process.stdout.once('drain', resolve).once('error', resolve),
  );
// Everything of ours is closed by now; whatever a library left open must not keep the process.
process.exit(exitCode);
