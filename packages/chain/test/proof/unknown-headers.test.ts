import { HOUR, MINUTE, SECOND } from '@dexfeed/dex'
import { NodeError } from '@dexfeed/lab/node/rpc/answer'
import { beforeAll, describe, expect, it } from 'vitest'
import { headerHash } from '../../src/blocks/proof/commitments/block-prover.ts'
import { type Keccak, loadKeccak } from '../../src/blocks/proof/commitments/list-root.ts'
import type { ChainOptions } from '../../src/chain.ts'
import { block, type Json, NUMBER, type Receipt, recordedNode, selected, TRANSFER } from '../fixtures/recorded-node.ts'
import { client } from '../scene.ts'
import { hastyClock } from '../test-clock.ts'

let keccak: Keccak
beforeAll(async () => {
  keccak = await loadKeccak()
})

const open = (nodes: readonly { url: string }[], options: Partial<ChainOptions> = {}, clock = hastyClock()) => {
  const urls = nodes.map(({ url }) => url)
  const read: string[] = []
  return { ...client(urls, { topics: [TRANSFER], onRead: (_, how) => read.push(how), ...options }, clock), read, clock }
}

type Shown = (header: Json) => Json | null

/**
 * A node that has the recorded block and returns its header as `shown` makes it. Logs and receipts have that header's
 * hash.
 */
async function showing(shown: Shown) {
  const scriptedNode = await recordedNode()
  let isOnce = shown
  scriptedNode.respond = ({ method }, honest) => {
    const reported = isOnce(block)
    const onBranch = <T extends Json>(log: T): T => ({ ...log, blockHash: reported?.hash ?? block.hash })
    if (method === 'eth_getBlockByNumber') return honest() === null ? null : reported
    if (method !== 'eth_chainId' && reported === null) throw new NodeError(-32000, 'unknown block')
    if (method === 'eth_getLogs') return selected.map(onBranch)
    if (method !== 'eth_getBlockReceipts') return honest()
    return (honest() as Receipt[]).map((receipt) => ({ ...onBranch(receipt), logs: receipt.logs.map(onBranch) }))
  }
  const become = (next: Shown) => {
    isOnce = next
  }
  return Object.assign(scriptedNode, { become })
}

const honest: Shown = (header) => header
/** A header as after an unknown fork: its hash covers one more field. */
const forked: Shown = (header) => ({ ...header, laterRoot: header.stateRoot, hash: `0x${'f0'.repeat(32)}` })
/** A lie that unknown fields are meant to excuse. */
const junk: Shown = (header) => ({ ...header, timestamp: '0x1', junk: '0x1' })
const junkElsewhere: Shown = (header) => ({ ...junk(header), hash: `0x${'66'.repeat(32)}` })

describe('a header that does not have its hash by the known fields', () => {
  it('is an alert if no endpoint shows another one, and ends with the first proven block', async () => {
    const [a, b] = [await showing(forked), await showing(forked)]
    const { chain, lines, read, clock } = open([a, b])
    expect(chain.headerAlert()).toBeNull()
    expect(await chain.readBlocks(NUMBER, NUMBER)).toHaveLength(1)
    expect(read).toEqual(['unproven'])
    expect(chain.headerAlert()).toEqual({ from: NUMBER, fields: ['laterRoot'] })
    const errors = () => lines.filter(({ level }) => level === 'error')
    expect(errors()).toEqual([{ level: 'error', text: expect.stringMatching(/from block \d+ on.*Update dexfeed/) }])
    for (let minute = 0; minute < 59; minute++) {
      await clock.sleep(MINUTE)
      await chain.readBlocks(NUMBER, NUMBER)
    }
    expect(errors()).toHaveLength(1)
    await clock.sleep(HOUR)
    await chain.readBlocks(NUMBER, NUMBER)
    expect(errors()).toHaveLength(2)
    for (const each of [a, b]) each.become(honest)
    await clock.sleep(MINUTE)
    await chain.readBlocks(NUMBER, NUMBER)
    expect(chain.headerAlert()).toBeNull()
    expect(read.at(-1)).toBe('proven')
    expect(lines.filter(({ text }) => text.includes('blocks are proven'))).toHaveLength(1)
  })

  it('is an alert of one endpoint alone, and in history', async () => {
    const { chain, read } = open([await showing(forked)])
    await chain.readRange(NUMBER, NUMBER)
    expect(read).toEqual(['unproven'])
    expect(chain.headerAlert()).toEqual({ from: NUMBER, fields: ['laterRoot'] })
  })

  it.each<[string, Shown, RegExp, number]>([
    ['under the same hash', junk, /set aside.*shows a false block/, 30],
    ['under another hash', junkElsewhere, /set aside.*does not match its hash/, 1],
  ])('is not an alert while another endpoint proves the block %s', async (_, lie, named, maxRequests) => {
    const liar = await showing(lie)
    const { chain, lines, read, clock } = open([liar, await showing(honest)])
    await chain.readBlocks(NUMBER, NUMBER)
    const requested = liar.batches.length
    await chain.readBlocks(NUMBER, NUMBER)
    expect(liar.batches).toHaveLength(requested)
    for (let minute = 0; minute < 30; minute++) {
      expect((await chain.readBlocks(NUMBER, NUMBER))[0]).toMatchObject({ hash: block.hash, isProven: true })
      expect((await chain.readRange(NUMBER, NUMBER)).blocks[0]).toMatchObject({ hash: block.hash })
      expect(chain.headerAlert()).toBeNull()
      await clock.sleep(MINUTE)
    }
    expect(new Set(read)).toEqual(new Set(['proven']))
    const warnings = lines.filter(({ level }) => level === 'warn')
    expect(warnings).toContainEqual({ level: 'warn', text: expect.stringMatching(named) })
    expect(warnings.length).toBeLessThanOrEqual(maxRequests)
    expect(lines.filter(({ level }) => level === 'error')).toEqual([])
  })

  it('is not an alert while another endpoint is about to have the block', async () => {
    let requested = 0
    const late = await showing((header) => (requested++ < 2 ? null : header))
    const { chain, read, lines } = open([await showing(junkElsewhere), late])
    expect((await chain.readBlocks(NUMBER, NUMBER))[0]).toMatchObject({ hash: block.hash, isProven: true })
    expect(read).toEqual(['proven'])
    expect(chain.headerAlert()).toBeNull()
    expect(lines.filter(({ level }) => level === 'error')).toEqual([])
  })

  it('is an alert if the other endpoint does not follow the fork', async () => {
    const { chain, read, clock } = open([await showing(forked), await showing(() => null)])
    const tried = async () => {
      await clock.sleep(SECOND)
      return chain.readBlocks(NUMBER, NUMBER).catch(() => [])
    }
    let blocks = await tried()
    for (let i = 0; i < 20 && blocks.length === 0; i++) blocks = await tried()
    expect(blocks).toHaveLength(1)
    expect(read).toEqual(['unproven'])
    expect(chain.headerAlert()).toMatchObject({ from: NUMBER })
  })

  it('and lacks some of them is an alert too, but not a lie', async () => {
    const renamed: Shown = ({ mixHash, ...header }) => ({ ...header, prevRandao: mixHash })
    const alone = open([await showing(renamed)])
    await alone.chain.readBlocks(NUMBER, NUMBER)
    expect(alone.chain.headerAlert()).toEqual({ from: NUMBER, fields: ['prevRandao'] })
    const beside = open([await showing(renamed), await showing(honest)])
    expect(await beside.chain.readBlocks(NUMBER, NUMBER)).toHaveLength(1)
    expect(beside.chain.headerAlert()).toBeNull()
    expect(beside.lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([])
  })

  it('is not an alert if it merely lacks fields, as those of lean nodes do', async () => {
    const { chain, read } = open([await showing(({ mixHash: _, ...header }) => header)])
    await chain.readBlocks(NUMBER, NUMBER)
    expect(read).toEqual(['unproven'])
    expect(chain.headerAlert()).toBeNull()
  })

  it('without unknown fields is a false block, even if another endpoint shows it, too', async () => {
    const { chain, lines } = open([await showing((header) => ({ ...header, timestamp: '0x1' })), await showing(honest)])
    expect((await chain.readBlocks(NUMBER, NUMBER))[0]).toMatchObject({ isProven: true })
    expect(lines).toContainEqual({ level: 'warn', text: expect.stringMatching(/set aside.*shows a false block/) })
    expect(chain.headerAlert()).toBeNull()
  })
})

it.each<[string, Json]>([
  ['unknown ones', { laterRoot: '0x1', totalFees: null, junk: { a: 1 } }],
  ['those of a later fork that are null', { blockAccessListHash: null, slotNumber: null, requestsHash: null }],
  ['one with a long name', { ['x'.repeat(500)]: '0x' }],
])('fields that the hash does not need are harmless: %s', async (_, more) => {
  const { chain, lines, read } = open([await showing((header) => ({ ...header, ...more }))])
  expect((await chain.readBlocks(NUMBER, NUMBER))[0]).toMatchObject({ isProven: true })
  expect(read).toEqual(['proven'])
  expect(chain.headerAlert()).toBeNull()
  expect(lines.filter(({ level }) => level !== 'debug')).toEqual([])
})

it('names of fields that a node makes up are not repeated', async () => {
  const names = ['<script>', 'x'.repeat(500), ...Array.from({ length: 50 }, (_, i) => `field${i}`)]
  const odd: Shown = (header) => ({ ...forked(header), ...Object.fromEntries(names.map((name) => [name, '0x'])) })
  const { chain } = open([await showing(odd)])
  await chain.readBlocks(NUMBER, NUMBER)
  const { fields = [] } = chain.headerAlert() ?? {}
  expect(fields).toHaveLength(8)
  expect(fields.every((name) => /^\w{1,40}$/.test(name))).toBe(true)
})

it('a later fork whose fields are known by then is proven', async () => {
  const later = { ...block, withdrawalsRoot: block.stateRoot, slotNumber: '0x0' }
  const shown = { ...later, hash: headerHash(later, keccak) }
  const { chain, read } = open([await showing(() => shown)])
  expect((await chain.readBlocks(NUMBER, NUMBER))[0]).toMatchObject({ hash: shown.hash, isProven: true })
  expect(read).toEqual(['proven'])
})
