import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { projectRoot } from '@dexfeed/service'

/** A backfill worker as operators run it, in a process of its own that can be killed. */
export interface WorkerProcess {
  /** Starts it, also again after it has ended. */
  ensure(): void
  /** Ends it by SIGKILL. */
  kill(): Promise<void>
}

/** The bundles must be there. */
export function workerProcess(env: Readonly<Record<string, string>>): WorkerProcess {
  let program: ChildProcess | null = null
  const isAlive = () => program !== null && program.exitCode === null && program.signalCode === null
  return {
    ensure() {
      if (isAlive()) return
      const file = join(projectRoot(), 'apps/indexer/dist/indexer.js')
      const settings = { REDIS_URL: '', LOG_LEVEL: 'fatal', BACKFILL_CONCURRENCY: '1' }
      // It ends by itself at a wrong chain id, and says so: that is no news here.
      program = spawn(process.execPath, [file, '--role', 'backfill'], {
        // Through the channel it learns that this process is gone, and ends.
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
