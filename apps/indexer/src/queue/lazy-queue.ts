import type { JobQueue } from './job-queue.ts'

/** A queue that is opened when it is first used, and again after it could not be opened. */
export interface LazyQueue {
  use(): Promise<JobQueue>
  close(): Promise<void>
}

export function lazyQueue(open: () => Promise<JobQueue>): LazyQueue {
  let opened: Promise<JobQueue> | null = null
  return {
    use() {
      opened ??= open().catch((error: unknown) => {
        opened = null
        throw error
      })
      return opened
    },
    async close() {
      const queue = await opened?.catch(() => null)
      await queue?.close()
    },
  }
}
