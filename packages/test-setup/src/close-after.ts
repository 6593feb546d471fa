import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

const open: (() => Promise<void>)[] = []

/**
 * Has something closed when the test that opened it is over, passed or failed; what a hook of the file opened, when the
 * file is. What was opened last is closed first.
 *
 * @returns the same, for a test that closes it earlier: it is closed once
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
    // No test runs.
    open.unshift(closeOnce)
  }
  return closeOnce
}

/** Closes what hooks opened. @throws the first failure, once all was tried */
export async function closeOpen(): Promise<void> {
  const failures: unknown[] = []
  for (const close of open.splice(0)) await close().catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

/** A folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dexfeed-test-folder-'))
  closeAfter(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
