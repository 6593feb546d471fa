import { createReadStream, createWriteStream } from 'node:fs'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { Hex, NetworkName } from '@dexfeed/dex'
import type { DevnetAccounts, DevnetContracts } from './deployment/contracts.ts'
import type { Rpc } from './node/rpc.ts'
import type { Random } from './random.ts'

const RECEIPT_CHUNK = 40

export interface BlockSummary {
  fromBlock: number
  toBlock: number
  transactions: number
  failed: number
}

/** Returns `count` strictly increasing times after `from`, with jitter. The last one is exactly `to`. */
export function historyTimes(from: number, to: number, count: number, random: Random): number[] {
  const step = (to - from) / count
  if (step < 2) throw new RangeError(`${count} blocks do not fit between ${from} and ${to}`)
  // Jitter below half a step keeps the order.
  const times = Array.from({ length: count }, (_, index) =>
    Math.floor(from + step * (index + 1 - 0.45 * random.next())),
  )
  times[count - 1] = to
  return times
}

export async function summarizeBlocks(
  rpc: Rpc,
  fromBlock: number,
  toBlock: number,
  mayRevert: ReadonlySet<Hex>,
): Promise<BlockSummary> {
  const summary: BlockSummary = { fromBlock, toBlock, transactions: 0, failed: 0 }
  for (let from = fromBlock; from <= toBlock; from += RECEIPT_CHUNK) {
    const count = Math.min(RECEIPT_CHUNK, toBlock - from + 1)
    const calls = Array.from({ length: count }, (_, index) => ({
      method: 'eth_getBlockReceipts',
      params: [`0x${(from + index).toString(16)}`],
    }))
    const blocks = await rpc.batch<readonly { status: Hex; transactionHash: Hex }[]>(calls)
    for (const { status, transactionHash } of blocks.flat()) {
      summary.transactions += 1
      if (status === '0x0' && !mayRevert.has(transactionHash)) summary.failed += 1
    }
  }
  return summary
}

export interface ChainRecord {
  /** Seconds since 1970. */
  genesisTime: number
  contracts: DevnetContracts
  accounts: DevnetAccounts
  history: BlockSummary
}

export interface ChainArchive {
  read(): Promise<ChainRecord | null>
  /** Returns a file for the node to load, valid until `forget` is called. */
  unpackState(): Promise<string>
  forget(): Promise<void>
  /** Saves the state. Even after a crash, a reader finds this state or the previous one. */
  write(record: ChainRecord, rpc: Rpc): Promise<void>
}

export function openChainArchive(folder: string, network: NetworkName): ChainArchive {
  const recordFile = join(folder, `${network}.json`)
  const stateFile = join(folder, `${network}.state.json.gz`)
  const unpackedFile = join(folder, `${network}.state.json`)
  return {
    async read() {
      try {
        return JSON.parse(await readFile(recordFile, 'utf8')) as ChainRecord
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
        throw error
      }
    },
    async unpackState() {
      await pipeline(createReadStream(stateFile), createGunzip(), createWriteStream(unpackedFile))
      return unpackedFile
    },
    forget: () => rm(unpackedFile, { force: true }),
    async write(record, rpc) {
      const state = await rpc.send<Hex>('anvil_dumpState', [])
      await replaceFile(stateFile, Buffer.from(state.slice(2), 'hex'))
      // Write the record last: if it exists, so does the state.
      await replaceFile(recordFile, JSON.stringify(record))
    },
  }
}

async function replaceFile(file: string, content: string | Buffer): Promise<void> {
  await writeFile(`${file}.new`, content, { flush: true })
  await rename(`${file}.new`, file)
}
