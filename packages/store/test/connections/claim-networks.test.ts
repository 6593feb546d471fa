import { NETWORK_NAMES, NETWORKS, type NetworkName } from '@dexfeed/dex'
import { claimNetworks, type Database, type NetworksClaim, openIndexerStore } from '@dexfeed/store'
import { closeAfter } from '@dexfeed/test-setup'
import { beforeEach, describe, expect, it } from 'vitest'
import { ADVISORY_LOCKS } from '../../src/database/locks.ts'
import { deployment, hash, MIDNIGHT, openTestDatabase } from '../rows/sample.ts'

let database: Database

beforeEach(async () => {
  database = await openTestDatabase(6)
})

const registration = { genesisHash: hash(0, 0x99), start: { number: 100, timestamp: MIDNIGHT } }

/** A process that starts with these networks. It ends with the test at the latest. */
async function start(...networks: NetworkName[]): Promise<NetworksClaim> {
  const claim = await claimNetworks(database, networks.map(deployment))
  const release = closeAfter(() => claim.release())
  return { ...claim, release }
}

/** What the API counts on. */
async function indexed(): Promise<NetworkName[]> {
  const rows = await Promise.all(NETWORK_NAMES.map((name) => openIndexerStore(database, name).networkRow()))
  return rows.flatMap((row) => (row?.active ? [row.network] : []))
}

/** How many processes claim a network, in whose sessions something is done. */
async function claims(network: NetworkName, what = 'pid'): Promise<number | null> {
  const found = await database.pool.query(
    `SELECT ${what} FROM pg_locks
     WHERE locktype = 'advisory' AND classid = $1::int::oid AND objid = $2::int::oid AND granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [ADVISORY_LOCKS.claim, NETWORKS[network].chainId],
  )
  return found.rowCount
}

/** The connection of a network's only claim is lost. */
async function loseClaim(network: NetworkName): Promise<void> {
  expect(await claims(network, 'pg_terminate_backend(pid, 10000)')).toBe(1)
}

describe('a process that starts', () => {
  it('makes a row of each of its networks, before its nodes have told where it begins', async () => {
    const polygon = openIndexerStore(database, 'polygon')
    await polygon.register({ ...registration, deployment: deployment('polygon') })
    await start('polygon', 'eth')
    const eth = openIndexerStore(database, 'eth')
    expect(await eth.networkRow()).toMatchObject({ network: 'eth', active: true, start: null, head: null })
    expect(await polygon.networkRow()).toMatchObject({ active: true, start: registration.start })
    await eth.setDegraded('no endpoint answers', null)
    expect(await eth.networkRow()).toMatchObject({ degraded: 'no endpoint answers' })
    const started = await eth.register({ ...registration, deployment: deployment('eth') })
    expect(started).toMatchObject(registration)
  })

  it('switches off what no process has, and the next one that has it switches it on', async () => {
    const both = await start('eth', 'bsc')
    await both.release()
    expect(await indexed()).toEqual(['eth', 'bsc'])
    const eth = await start('eth')
    expect(await indexed()).toEqual(['eth'])
    await eth.release()
    await start('eth', 'bsc')
    expect(await indexed()).toEqual(['eth', 'bsc'])
  })

  //  one    eth  |-------------------------|
  //  other  bsc     |-----|   |------------|
  it('leaves on what another has, of which each may start again', async () => {
    const eth = await start('eth')
    const bsc = await start('bsc')
    expect(await indexed()).toEqual(['eth', 'bsc'])
    await bsc.release()
    await eth.keep()
    expect(await indexed()).toEqual(['eth', 'bsc'])
    await start('bsc')
    expect(await indexed()).toEqual(['eth', 'bsc'])
  })

  it('leaves on what another has that starts at the same time', async () => {
    for (let round = 0; round < 20; round++) {
      const claims = await Promise.all(NETWORK_NAMES.map((network) => start(network)))
      expect(await indexed()).toEqual([...NETWORK_NAMES])
      await Promise.all(claims.map((claim) => claim.release()))
    }
  })
})

describe('a process that takes over', () => {
  //  old  eth, bsc  |-------|
  //  new  eth          |---------
  it('switches off what only its predecessor had, once that is gone', async () => {
    const old = await start('eth', 'bsc')
    const next = await start('eth')
    await next.keep()
    expect(await indexed()).toEqual(['eth', 'bsc'])
    await old.release()
    await next.keep()
    expect(await indexed()).toEqual(['eth'])
  })

  //  old  eth, bsc  |---------|
  //  new  eth          |-------------------------
  //  new  bsc             |---------|
  it('leaves on what a third one has by then, for good', async () => {
    const old = await start('eth', 'bsc')
    const eth = await start('eth')
    const bsc = await start('bsc')
    await old.release()
    await eth.keep()
    await bsc.keep()
    expect(await indexed()).toEqual(['eth', 'bsc'])
    await bsc.release()
    await eth.keep()
    expect(await indexed()).toEqual(['eth', 'bsc'])
  })

  it('with the same networks switches nothing off', async () => {
    const first = await start('eth', 'bsc')
    const standby = await start('eth', 'bsc')
    const third = await start('polygon')
    await Promise.all([first.release(), third.release()])
    await standby.keep()
    expect(await indexed()).toEqual(['eth', 'bsc', 'polygon'])
  })
})

describe('a process whose connection was lost', () => {
  it('claims its networks again, and switches on what was switched off meanwhile', async () => {
    const bsc = await start('bsc')
    await loseClaim('bsc')
    const eth = await start('eth')
    expect(await indexed()).toEqual(['eth'])
    await expect.poll(() => bsc.keep().then(indexed)).toEqual(['eth', 'bsc'])
    await eth.release()
    await start('eth')
    expect(await indexed()).toEqual(['eth', 'bsc'])
  })

  it('leaves others alone that have lost theirs, too', async () => {
    const eth = await start('eth')
    await start('bsc')
    await loseClaim('bsc')
    await loseClaim('eth')
    await expect.poll(() => eth.keep().then(() => claims('eth'))).toBe(1)
    expect(await indexed()).toEqual(['eth', 'bsc'])
  })
})
