import type { Deployment, Hex } from '@dexfeed/dex'
import { GenesisMismatch, type IndexerStore, LeaseLost, openIndexerStore, openReader } from '@dexfeed/store'
import { closeAfter } from '@dexfeed/test-setup'
import { beforeEach, describe, expect, it } from 'vitest'
import { address, deployment, filling, hash, MIDNIGHT } from './rows/sample.ts'
import { database, rows, useDatabase } from './rows/scene.ts'

let store: IndexerStore

useDatabase(3)
beforeEach(() => {
  store = openIndexerStore(database, 'polygon')
})

const registration = {
  genesisHash: hash(0, 0x99),
  deployment: deployment('polygon'),
  start: { number: 100, timestamp: MIDNIGHT },
}

async function symbols(): Promise<string[]> {
  const rows = await database.prisma.listedSymbol.findMany({ orderBy: { symbol: 'asc' } })
  return rows.map(({ symbol }) => symbol)
}

describe('register', () => {
  it('inserts the row of a network', async () => {
    expect(await store.networkRow()).toBeNull()
    const row = await store.register(registration)
    expect(row).toEqual({
      chainId: 137,
      network: 'polygon',
      active: true,
      genesisHash: registration.genesisHash,
      wrappedNative: address(0xee),
      anchors: [],
      stablecoins: [],
      start: registration.start,
      writerEpoch: 0,
      revision: 0,
      reorgs: 0,
      head: null,
      chainHead: null,
      finalNumber: null,
      degraded: null,
      unprovenSince: null,
      budgetShortfall: null,
      listVersion: expect.stringMatching(/^\d+$/),
    })
    expect(await store.networkRow()).toEqual(row)
  })

  it('writes nothing if the row is reused as it is', async () => {
    const version = () => rows('SELECT xmin::text FROM network')
    const row = await store.register(registration)
    const before = await version()
    const { start } = registration
    for (const as of [{}, { genesisHash: null }, { start: { ...start, number: start.number + 1 } }]) {
      expect(await store.register({ ...registration, ...as })).toEqual(row)
    }
    expect(await version()).toEqual(before)
    await database.pool.query('UPDATE network SET active = false')
    expect(await store.register(registration)).toEqual(row)
  })

  it('keeps the earliest start', async () => {
    await store.register(registration)
    const later = await store.register({ ...registration, start: { number: 200, timestamp: MIDNIGHT + 9 } })
    expect(later).toMatchObject({ start: { number: 100, timestamp: MIDNIGHT } })
    const earlier = await store.register({ ...registration, start: { number: 50, timestamp: MIDNIGHT - 9 } })
    expect(earlier).toMatchObject({ start: { number: 50, timestamp: MIDNIGHT - 9 } })
  })

  it('refuses another chain under the same id and changes nothing', async () => {
    const row = await store.register(registration)
    const other = { ...registration, genesisHash: hash(1), start: { number: 1, timestamp: 1 } }
    await expect(store.register(other)).rejects.toBeInstanceOf(GenesisMismatch)
    expect(await store.networkRow()).toEqual(row)
  })

  it('registers a chain whose block 0 no node keeps, and stores it later', async () => {
    const registered = async (genesisHash: Hex | null) =>
      (await store.register({ ...registration, genesisHash })).genesisHash
    const { genesisHash } = registration
    expect([await registered(null), await registered(genesisHash), await registered(null)]).toEqual([
      ...[null, genesisHash, genesisHash],
    ])
    await expect(registered(hash(1))).rejects.toBeInstanceOf(GenesisMismatch)
  })

  it('stores why a network is degraded until it no longer is', async () => {
    await store.register(registration)
    await store.setDegraded('no endpoint responds', null)
    expect(await store.networkRow()).toMatchObject({ degraded: 'no endpoint responds' })
    await store.setDegraded(null, null)
    expect(await store.networkRow()).toMatchObject({ degraded: null })
  })

  it('stores since when unproven blocks are read, until no process has reported it for minutes', async () => {
    await store.register(registration)
    const since = async () => (await store.networkRow())?.unprovenSince
    const later = (minutes: number) => database.prisma.$executeRaw`
      UPDATE network SET unproven_since = unproven_since - ${minutes} * interval '1 minute',
        unproven_until = unproven_until - ${minutes} * interval '1 minute'`
    await store.reportUnproven(true)
    const first = (await since()) ?? 0
    expect(first).toBeGreaterThan(MIDNIGHT)
    await later(1.5)
    await store.reportUnproven(true)
    await later(1.5)
    // Another process reports that it reads no unproven blocks.
    await store.reportUnproven(false)
    expect(await since()).toBe(first - 180)
    await later(1)
    await store.reportUnproven(false)
    expect(await since()).toBeNull()
    await store.reportUnproven(true)
    expect(await since()).toBeGreaterThanOrEqual(first)
  })

  it('notes since when headers have unknown fields, whichever process reports it', async () => {
    await store.register(registration)
    const reader = openReader(database)
    const noted = async () => (await reader.networks())[0]?.unknownHeaders
    const later = (minutes: number) => database.prisma.$executeRaw`
      UPDATE unknown_header SET since = since - ${minutes} * interval '1 minute', until = until - ${minutes} * interval '1 minute'`
    await store.noteUnknownHeaders(null)
    expect(await noted()).toBeNull()
    await store.noteUnknownHeaders({ from: 900, fields: ['laterRoot'] })
    const { since: first = 0 } = (await noted()) ?? {}
    expect(await noted()).toEqual({ from: 900, fields: ['laterRoot'], since: first })
    expect(first).toBeGreaterThan(MIDNIGHT)
    await later(1.5)
    await store.noteUnknownHeaders({ from: 950, fields: ['laterRoot'] })
    await later(1.5)
    // A history worker finds a lower block with unknown fields; another process finds none.
    await store.noteUnknownHeaders({ from: 800, fields: ['laterRoot', 'other'] })
    await store.noteUnknownHeaders(null)
    expect(await noted()).toEqual({ from: 800, fields: ['laterRoot', 'other'], since: first - 180 })
    await later(2.5)
    await store.noteUnknownHeaders(null)
    expect(await noted()).toBeNull()
    await store.noteUnknownHeaders({ from: 990, fields: [] })
    await later(2.5)
    await store.noteUnknownHeaders({ from: 995, fields: [] })
    expect(await noted()).toMatchObject({ from: 995 })
  })

  // A process that has lost its lease must not store a reason after the next writer has cleared it.
  it('accepts the status of a network only from its writer, while there is one', async () => {
    await store.register(registration)
    const earlier = await store.acquireWriter(AbortSignal.timeout(20_000))
    await earlier.release()
    const later = await store.acquireWriter(AbortSignal.timeout(20_000))
    const release = closeAfter(() => later.release())
    await store.setDegraded(null, later.epoch)
    await store.setDegraded('the lease is over', earlier.epoch)
    await store.setBudgetShortfall('5 of 8', later.epoch)
    await store.setBudgetShortfall(null, earlier.epoch)
    expect(await store.networkRow()).toMatchObject({ budgetShortfall: '5 of 8' })
    await store.setBudgetShortfall(null, later.epoch)
    expect(await store.networkRow()).toMatchObject({ budgetShortfall: null })
    await store.setDegraded('another indexer writes', null)
    expect(await store.networkRow()).toMatchObject({ degraded: null })
    await store.setDegraded('no endpoint responds', later.epoch)
    expect(await store.networkRow()).toMatchObject({ degraded: 'no endpoint responds' })
    await release()
    await store.setDegraded('no process writes', null)
    expect(await store.networkRow()).toMatchObject({ degraded: 'no process writes' })
  })
})

describe('the configuration of the writer', () => {
  const { deployment: plain } = registration
  /** Configures with a new lease, or with an outdated epoch. */
  async function configure(over: Partial<Deployment>, isOld = false): Promise<void> {
    await store.register(registration)
    const lease = await store.acquireWriter(AbortSignal.timeout(20_000))
    const epoch = isOld ? lease.epoch - 1 : lease.epoch
    await store.configure(epoch, { ...plain, ...over }).finally(() => lease.release())
  }

  it('sets the tokens with a trusted price', async () => {
    const trusted = async () => {
      const { wrappedNative, anchors, stablecoins } = (await store.networkRow()) ?? {}
      return { wrappedNative, anchors, stablecoins }
    }
    const [ONE, TWO, THREE] = [address(1), address(2), address(3)]
    await configure({ stablecoins: [ONE], anchors: [TWO] })
    const first = { wrappedNative: address(0xee), anchors: [ONE, TWO], stablecoins: [ONE] }
    expect(await trusted()).toEqual(first)
    await configure({ wrappedNative: THREE, anchors: [THREE] })
    expect(await trusted()).toEqual({ wrappedNative: THREE, anchors: [THREE], stablecoins: [] })
  })

  it('sets the symbols and their aliases, in upper case', async () => {
    await configure({})
    expect(await symbols()).toEqual(['WMATIC', 'WPOL'])
    await configure({ tokens: [{ address: address(5), symbol: 'usdc.e', name: 'USD Coin', decimals: 6 }] })
    expect(await symbols()).toEqual(['USDC.E'])
  })

  it('takes precedence over what contracts report of its tokens, not the other way round', async () => {
    const token = { address: address(0xee), symbol: 'FAKE', name: 'as the contract says', decimals: null }
    await store.commitHistory({ ...filling(1, 1), tokens: [token] })
    await configure({})
    await store.commitHistory({ ...filling(2, 2), tokens: [token] })
    const { aliases: _, ...curated } = plain.tokens[0] ?? expect.fail()
    expect(await store.loadTokens()).toEqual([curated])
  })

  it('writes nothing if nothing differs, and otherwise all of it', async () => {
    const aliased = { address: address(5), symbol: 'usdc.e', name: 'USD Coin', decimals: 6, aliases: ['USDC', 'usdc'] }
    const over = { anchors: [address(2)], tokens: [...plain.tokens, aliased] }
    // Rows that are written again get another xmin.
    const stored = () =>
      rows(`SELECT xmin::text, symbol, encode(address, 'hex') FROM listed_symbol ORDER BY symbol, address`)
    await configure(over)
    const before = await stored()
    await configure(over)
    expect(await stored()).toEqual(before)
    const changes = [{ name: 'Dollar' }, { decimals: 7 }, { symbol: 'x' }, { aliases: ['USDC', 'other'] }]
    for (const change of [...changes, { address: address(6) }]) {
      const tokens = [...plain.tokens, { ...aliased, ...change }]
      const last = await stored()
      await configure({ ...over, tokens })
      expect(await stored()).not.toEqual(last)
      const { name, decimals } = { ...aliased, ...change }
      expect(await store.loadTokens()).toContainEqual(expect.objectContaining({ name, decimals }))
    }
    await configure({ ...over, anchors: [address(3)] })
    expect(await store.networkRow()).toMatchObject({ anchors: [address(3)] })
    expect(await symbols()).toEqual(['USDC', 'USDC.E', 'WMATIC', 'WPOL'])
  })

  it('is rejected from a process that waits for the lease, or has lost it', async () => {
    await configure({ anchors: [address(2)] })
    const other = { ...plain, wrappedNative: address(9), anchors: [address(3)], tokens: [] }
    const row = await store.register({ ...registration, deployment: other })
    expect(row).toMatchObject({ wrappedNative: address(0xee), anchors: [address(2)] })
    await expect(configure(other, true)).rejects.toThrow(LeaseLost)
    expect(await store.networkRow()).toMatchObject({ wrappedNative: address(0xee), anchors: [address(2)] })
    expect(await symbols()).toEqual(['WMATIC', 'WPOL'])
  })
})
