import { get as httpGet, type IncomingMessage, type RequestOptions } from 'node:http'
import { closeAfter } from '@dexfeed/test-setup'
import { hexNumber, type SeedSwap, seedNetwork, seedSwaps, seedTokens } from '@dexfeed/test-setup/seed'
import type { Client } from 'pg'
import { NOON } from '../api-fixture.ts'

// Two networks. Each has ROWS swaps up to the final block 900, and 40 swaps above it, up to the head 920.
//
// block 1 .............................. 900 | 901 ... 920
//                                        final | reorgable
const NETWORKS = ['eth', 'bsc'] as const
const ROWS = 6_000
export const PATH = '/api/swaps_24h'
const FINAL = 900
const HEAD = 920
const A = hexNumber(0xa)
const B = hexNumber(0xb)
const timeOf = (block: number) => NOON - (HEAD - block)

export async function fillLists(owner: Client): Promise<void> {
  for (const network of NETWORKS) {
    await seedNetwork(owner, {
      network,
      wrapped: A,
      start: { number: 1, time: timeOf(1) },
      head: { number: HEAD, time: timeOf(HEAD) },
      final: FINAL,
      covered: [[0, HEAD, timeOf(0), timeOf(HEAD)]],
    })
    const tokens = [A, B].map((address) => ({ address, symbol: 'T', name: 'a token of some name', decimals: 18 }))
    await seedTokens(owner, network, tokens)
    await seedSwaps(
      owner,
      range(ROWS, (at) => swapOf(network, 1 + Math.floor((at * FINAL) / ROWS), at)),
    )
    await seedSwaps(owner, tailOf(network))
  }
}

const tailOf = (network: 'eth' | 'bsc') => range(40, (at) => swapOf(network, FINAL + 1 + Math.floor(at / 2), at))

function swapOf(network: 'eth' | 'bsc', block: number, transaction: number): SeedSwap {
  return {
    network,
    block,
    time: timeOf(block),
    transaction,
    sell: A,
    buy: B,
    usd: '1.00000000',
    sellAmount: 10n ** 20n,
    buyAmount: 10n ** 24n,
  }
}

export function range<T>(count: number, make: (at: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => make(at))
}

/** Requests the list; the response's body is not read yet. */
export function beginList(url: string, options: RequestOptions = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = httpGet(url + PATH, { agent: false, ...options }, (response) => {
      response.pause()
      response.on('error', () => undefined)
      closeAfter(() => void request.destroy())
      resolve(response)
    }).on('error', reject)
  })
}

export async function rest(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  return Buffer.concat(chunks)
}

export const BRANCH = [swapOf('eth', FINAL + 5, 9_999)]
export const AS_BEFORE = NETWORKS.flatMap(tailOf)

/** Replaces everything above the final block by another branch, or by the first one. */
export async function reorg(owner: Client, branch: readonly SeedSwap[]): Promise<void> {
  await owner.query('BEGIN')
  await owner.query('DELETE FROM swap WHERE block_number > $1', [FINAL])
  await seedSwaps(owner, branch, { atHead: true })
  await owner.query('UPDATE network SET reorgs = reorgs + 1')
  await owner.query('COMMIT')
}
