import type { JobQueue } from './job-queue.ts'

/** A queue that is opened on first use, and again after a failure to open. */
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
