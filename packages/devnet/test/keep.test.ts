import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { type Devnet, type DevnetChain, startDevnet } from '../src/index.ts'

/**
 *   first life    0 --- set-up --- history --- trade(3) | stop
 *   second life                                         | the same blocks --- trade(2)
 *   third life    0' --- set-up --- history               keep is not set: another chain
 */
const dataDir = mkdtempSync(join(tmpdir(), 'dexfeed-keep-'))
const log = { info: () => undefined, warn: (fields: object, message: string) => warnings.push({ fields, message }) }
const warnings: object[] = []
const lives: Devnet<'polygon'>[] = []

afterEach(async () => {
  await Promise.all(lives.map((devnet) => devnet.stop()))
  rmSync(dataDir, { recursive: true, force: true })
})

test('a saved chain continues with its blocks, logs, balances and nonces', async () => {
  const first = await live({ keep: true })
  await first.trade(3)
  const before = await pictureOf(first)
  await lives[0]?.stop()

  const second = await live({ keep: true })
  expect(await pictureOf(second)).toEqual(before)
  expect(second.contracts).toEqual(first.contracts)
  expect(second.history).toEqual(first.history)
  await second.trade(2)
  const blocks = await second.rpc.batch<Block>(
    [1, 2].map((back) => ({ method: 'eth_getBlockByNumber', params: [hex(before.head.number, back), false] })),
  )
  expect(blocks[0]?.parentHash).toBe(before.head.hash)
  for (const block of blocks) expect(block?.transactions.length).toBeGreaterThan(1)
  await lives[1]?.stop()

  const third = await live({ keep: false })
  expect((await pictureOf(third)).history).not.toEqual(before.history)
  // The saved state is packed; no unpacked state remains.
  expect(readdirSync(dataDir).sort()).toEqual([
    'devnet.json',
    'dex-config.json',
    'polygon.json',
    'polygon.state.json.gz',
  ])
  expect(warnings).toEqual([])
})

interface Block {
  number: string
  hash: string
  parentHash: string
  transactions: readonly string[]
}

async function live({ keep }: { keep: boolean }): Promise<DevnetChain> {
  const devnet = await startDevnet({ dataDir, log, networks: ['polygon'], historyBlocks: 6, keep })
  lives.push(devnet)
  return devnet.chains.polygon
}

/** Returns what an indexer would see. */
async function pictureOf({ rpc, accounts }: DevnetChain) {
  const block = (tag: string) => rpc.send<Block>('eth_getBlockByNumber', [tag, true])
  const count = (address: string) => ({ method: 'eth_getTransactionCount', params: [address, 'latest'] })
  return {
    genesis: await block('0x0'),
    history: await block('0xa'),
    head: await block('latest'),
    logs: await rpc.send<object[]>('eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }]),
    nonces: await rpc.batch<string>([accounts.deployer, accounts.keeper, ...accounts.traders].map(count)),
  }
}

function hex(number: string, more: number): string {
  return `0x${(Number(number) + more).toString(16)}`
}
