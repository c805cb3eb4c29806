/**
 * Finds, loads and checks the intake's native build. Main thread only: node-rdkafka cannot be loaded
 * on two threads of one process, and the intake works on node-rdkafka's own client.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { TidemarkError } from '../../contract/errors.ts';

/** Numbers that the native code was compiled with, under the names of `ring/layout.ts` and `Row`. */
export interface IntakeLayout {
  readonly version: number;
  readonly slotHeaderBytes: number;
  readonly headerEntryFixedBytes: number;
  readonly rowStride: number;
  readonly slotWord: Readonly<Record<string, number>>;
  readonly slotFloat: Readonly<Record<string, number>>;
  readonly row: Readonly<Record<string, number>>;
}

/** An error that came through the consumer's main queue. */
export interface MainError {
  /** librdkafka's number. */
  readonly error: number;
  readonly topic: string | null;
  readonly partitionId: number;
  readonly message: string;
}

/** What an intake holds. All zero once it is closed. */
export interface IntakeCounts {
  readonly handles: number;
  /** Of those handles, how many name a copy. */
  readonly parked: number;
  readonly queues: number;
  readonly buffers: number;
}

/** The native object; `intake.ts` documents the methods. */
export interface NativeIntake {
  registerBuffer(memory: SharedArrayBuffer, slotsAt: number, slotBytes: number): number;
  unregisterBuffer(id: number): void;
  split(partition: number, topic: string, partitionId: number): void;
  unsplit(partition: number): void;
  pollMain(): MainError[] | undefined;
  ready(out: Int32Array): number;
  queueLength(partition: number): number;
  take(partition: number, max: number, rows: Float64Array): number;
  fill(
    count: number,
    handles: Int32Array,
    buffers: Int32Array,
    offsets: Int32Array | Float64Array,
    payloadBuffers: Int32Array,
  ): void;
  free(handle: number): void;
  park(handle: number): void;
  parkFromSlot(buffer: number, slotOffset: number, payloadBuffer: number): number;
  assignmentLost(): boolean;
  watermarks(partition: number): [low: number | null, high: number | null];
  restorePositions(): void;
  counts(): IntakeCounts;
  exitNow(code: number): never;
  close(): void;
}

/** What the addon exports. */
export interface IntakeBinding {
  readonly Intake: new (client: object, onWake: () => void, handleLimit: number) => NativeIntake;
  readonly layout: IntakeLayout;
  readonly nodeRdkafkaVersion: string;
  readonly librdkafkaBuilt: number;
  readonly librdkafkaLoaded: number;
  readonly librdkafkaLoadedText: string;
}

const BUILD = 'src/broker/intake/build/Release/intake.node';
const require = createRequire(import.meta.url);

/** The error for every way in which the native part is not what it has to be. */
export function unavailable(reason: string, cause?: unknown): TidemarkError {
  return new TidemarkError(
    'TIDEMARK_INTAKE_UNAVAILABLE',
    `the native intake cannot be used: ${reason}. Run \`npm run build:native\` to build it anew.`,
    cause === undefined ? {} : { cause },
  );
}

/** The project's root, from sources and from `dist` alike. */
function projectRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw unavailable('no package.json above it was found');
    folder = parent;
  }
  return folder;
}

/** node-rdkafka's native class of consumers, and the version of the installed package. */
export function installedClient(): { consumer: new () => object; version: string } {
  try {
    const { KafkaConsumer } = require('node-rdkafka/librdkafka.js') as {
      KafkaConsumer: new () => object;
    };
    const { version } = JSON.parse(
      readFileSync(require.resolve('node-rdkafka/package.json'), 'utf8'),
    ) as { version: string };
    return { consumer: KafkaConsumer, version };
  } catch (error) {
    throw unavailable(`node-rdkafka cannot be loaded (${messageOf(error)})`, error);
  }
}

/**
 * Loads the addon and checks that it was built against the node-rdkafka and librdkafka that run here.
 * `file` names another build than the project's own. Throws TIDEMARK_INTAKE_UNAVAILABLE.
 */
export function loadBinding(file = join(projectRoot(), BUILD)): IntakeBinding {
  if (!isMainThread) throw unavailable('it can be loaded on the main thread only');
  // First, so that the addon finds librdkafka loaded already, from node-rdkafka's own path.
  const { version } = installedClient();
  if (!existsSync(file)) throw unavailable(`${file} does not exist`);
  let binding: IntakeBinding;
  try {
    binding = require(file) as IntakeBinding;
  } catch (error) {
    throw unavailable(`${file} cannot be loaded (${messageOf(error)})`, error);
  }
  checkVersions(binding, version);
  return binding;
}

/** Throws unless the addon was built against what is installed and loaded. */
export function checkVersions(
  binding: Omit<IntakeBinding, 'Intake' | 'layout'>,
  installed: string,
): void {
  if (binding.nodeRdkafkaVersion !== installed)
    throw unavailable(
      `it was built against node-rdkafka ${binding.nodeRdkafkaVersion}, but ${installed} is installed`,
    );
  if (binding.librdkafkaBuilt !== binding.librdkafkaLoaded)
    throw unavailable(
      `it was built against librdkafka 0x${binding.librdkafkaBuilt.toString(16)}, but ` +
        `${binding.librdkafkaLoadedText} is loaded`,
    );
}

/** The first number in which the addon's layout differs from `expected`, as text; null for none. */
export function layoutDifference(native: IntakeLayout, expected: IntakeLayout): string | null {
  const groups = ['slotWord', 'slotFloat', 'row'] as const;
  const numbers = ['version', 'slotHeaderBytes', 'headerEntryFixedBytes', 'rowStride'] as const;
  const pairs: [string, number, number | undefined][] = [
    ...numbers.map((name): [string, number, number] => [name, native[name], expected[name]]),
    ...groups.flatMap((group) =>
      Object.entries(native[group]).map(([name, value]): [string, number, number | undefined] => [
        `${group}.${name}`,
        value,
        expected[group][name],
      ]),
    ),
  ];
  const wrong = pairs.find(([, here, there]) => here !== there);
  if (wrong === undefined) return null;
  return `${wrong[0]} is ${String(wrong[1])} in the native part and ${String(wrong[2])} here`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
