import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { projectRoot } from '@dexfeed/service'

export interface WorkerProcess {
  ensure(): void
  kill(): Promise<void>
}

/** Returns a worker that has not started. The bundles must exist. */
export function workerProcess(env: Readonly<Record<string, string>>): WorkerProcess {
  let program: ChildProcess | null = null
  const isAlive = () => program !== null && program.exitCode === null && program.signalCode === null
  return {
    ensure() {
      if (isAlive()) return
      const file = join(projectRoot(), 'apps/indexer/dist/indexer.js')
      const settings = { REDIS_URL: '', LOG_LEVEL: 'fatal', BACKFILL_CONCURRENCY: '1' }
      // At a wrong chain id the worker ends with an error, as it should.
      program = spawn(process.execPath, [file, '--role', 'backfill'], {
        // With an IPC channel, the worker ends with this process.
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
