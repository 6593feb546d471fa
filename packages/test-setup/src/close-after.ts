import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

const open: (() => Promise<void>)[] = []

/**
 * Closes something when the test that opened it ends, or after the file if a hook opened it. The last thing opened is
 * closed first.
 *
 * @returns the same function, which runs only once
 */
export function closeAfter(close: () => unknown): () => Promise<void> {
  let closed: Promise<void> | null = null
  const closeOnce = () => {
    closed ??= (async () => void (await close()))()
    return closed
  }
  try {
    onTestFinished(closeOnce)
  } catch {
    open.unshift(closeOnce)
  }
  return closeOnce
}

/**
 * Closes what hooks opened.
 *
 * @throws the first failure, after trying all
 */
export async function closeOpen(): Promise<void> {
  const failures: unknown[] = []
  for (const close of open.splice(0)) await close().catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dexfeed-test-folder-'))
  closeAfter(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
