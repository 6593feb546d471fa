import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { dateOfDay, type NetworkName, startOfDay } from '@dexfeed/dex'
import { makeFolder } from '@dexfeed/service'
import { type Reader, StoreError, type SwapDay } from '@dexfeed/store'
import { swapOf } from '../v1/swaps.ts'
import type { ExportFormat } from './export-arguments.ts'
import { openRowFile, type RowFile } from './row-files.ts'

class DayNotReady extends Error {
  constructor(network: NetworkName, day: number, reason: string) {
    super(`${dateOfDay(day)} of ${network}: ${reason}`)
  }
}

export interface ExportedDay {
  path: string
  rows: number
}

/**
 * Writes all trades of a UTC day to a file. Replaces an existing file only once the new one is complete.
 *
 * @throws DayNotReady unless the whole day is indexed and final
 */
export async function exportDay(
  reader: { swapsOfDay: Reader['swapsOfDay']; keptSince: Reader['keptSince'] },
  { network, day, format, out }: { network: NetworkName; day: number; format: ExportFormat; out: string },
  signal: AbortSignal,
): Promise<ExportedDay> {
  const path = join(out, `dexfeed-${network}-${dateOfDay(day)}.${format}`)
  const unfinished = `${path}.${process.pid}.part`
  makeFolder(out)
  const keptSince = (await reader.keptSince()) ?? Number.NEGATIVE_INFINITY
  const reading = reader.swapsOfDay(network, day, signal, async (swaps) => {
    const problem = startOfDay(day) < keptSince ? 'its trades are not kept any more' : problemOf(swaps, day)
    if (problem !== null) throw new DayNotReady(network, day, problem)
    const file = openRowFile(format, unfinished)
    try {
      return await writeRows(file, swaps, day, signal)
    } catch (error) {
      file.abandon()
      await rm(unfinished, { force: true })
      throw error
    }
  })
  const rows = await reading.catch((error: unknown) => {
    throw error instanceof StoreError && error.cause instanceof DayNotReady ? error.cause : error
  })
  if (rows === null) throw new DayNotReady(network, day, 'the network is not indexed')
  await settle(unfinished, path)
  return { path, rows }
}

function problemOf({ network: { covered, finalNumber } }: SwapDay, day: number): string | null {
  // Blocks may share a second, so a block at the day's first second does not prove that all of the day's blocks are
  // indexed. A block on each side of the day does.
  const whole = covered.find(
    ({ from, fromTime, toTime }) => (fromTime < startOfDay(day) || from === 0) && toTime >= startOfDay(day + 1),
  )
  if (whole === undefined) return 'not all of it is indexed'
  return finalNumber === null ? 'nothing is final' : null
}

async function writeRows(file: RowFile, swaps: SwapDay, day: number, signal: AbortSignal): Promise<number> {
  const { network, finalNumber } = swaps.network
  let count = 0
  for await (const page of swaps.pages()) {
    signal.throwIfAborted()
    if (page.some(({ blockNumber }) => blockNumber > (finalNumber ?? -1))) {
      throw new DayNotReady(network, day, 'not all of it is final')
    }
    const addresses = new Set(page.flatMap(({ sellToken, buyToken }) => [sellToken, buyToken]))
    const tokens = new Map((await swaps.tokens([...addresses])).map((token) => [token.address, token]))
    await file.add(page.map((swap) => ({ ...swapOf(swap, tokens, swaps.network), final: true })))
    count += page.length
  }
  await file.finish({ network, day: dateOfDay(day), rows: String(count), final_block: String(finalNumber) })
  return count
}

async function settle(unfinished: string, path: string): Promise<void> {
  const file = await open(unfinished, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(unfinished, path)
}
