import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { projectRoot } from '@dexfeed/service'

/** A backfill worker as operators run it, in a separate process that can be killed. */
export interface WorkerProcess {
  /** Starts it unless it is running. */
  ensure(): void
  /** Ends it by SIGKILL. */
  kill(): Promise<void>
}

/** Returns the worker, not started. The bundles must exist. */
export function workerProcess(env: Readonly<Record<string, string>>): WorkerProcess {
  let program: ChildProcess | null = null
  const isAlive = () => program !== null && program.exitCode === null && program.signalCode === null
  return {
    ensure() {
      if (isAlive()) return
      const file = join(projectRoot(), 'apps/indexer/dist/indexer.js')
      const settings = { REDIS_URL: '', LOG_LEVEL: 'fatal', BACKFILL_CONCURRENCY: '1' }
      // At a wrong chain id it logs an error and ends. The simulation expects that.
      program = spawn(process.execPath, [file, '--role', 'backfill'], {
        // It ends when the channel to this process closes.
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
        env: { ...settings, ...env },
      })
    },
    async kill() {
      if (program === null || !isAlive()) return
      program.kill('SIGKILL')
      await once(program, 'exit')
    },
  }
}
