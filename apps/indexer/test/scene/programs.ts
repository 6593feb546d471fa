import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { projectRoot } from '@dexfeed/service'
import { onTestFinished } from 'vitest'
import type { QueuePlace } from '../../src/queue/queue.ts'

export interface ProgramOptions {
  place: QueuePlace
  rpcUrl: string
  dexConfigFile: string
  env?: Readonly<Record<string, string>>
}

/** Starts a program of this app on bsc, as operators do. Its process ends with the test. */
export function startProgram(
  name: 'indexer' | 'backfill' | 'verify',
  options: ProgramOptions,
  args: string[] = [],
): ChildProcess {
  const program = spawn(process.execPath, [join(projectRoot(), `apps/indexer/dist/${name}.js`), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: environmentOf(options),
  })
  onTestFinished(() => kill(program))
  return program
}

/** Returns the environment for such a program, or for a command that runs in this process. */
export function environmentOf({ place, rpcUrl, dexConfigFile, env }: ProgramOptions): Record<string, string> {
  return {
    DATABASE_URL: place.databaseUrl,
    REDIS_URL: place.redisUrl ?? '',
    BSC_RPC_URL: rpcUrl,
    DEX_CONFIG: dexConfigFile,
    START_BLOCK: 'bsc:0',
    POLL_MS: '100',
    HISTORY_THREADS: '0',
    LOG_LEVEL: 'fatal',
    ...env,
  }
}

export function startWorker(options: ProgramOptions): ChildProcess {
  return startProgram('indexer', { ...options, env: { BACKFILL_CONCURRENCY: '1' } }, ['--role', 'backfill'])
}

export async function kill(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return
  program.kill('SIGKILL')
  await once(program, 'exit')
}
